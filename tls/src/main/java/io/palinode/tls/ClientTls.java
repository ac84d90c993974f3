package io.palinode.tls;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.net.ssl.SSLContext;
import nl.altindag.ssl.SSLFactory;

/** The TLS of a client. */
public final class ClientTls {
  private ClientTls() {}

  /** The CN in the subject of a PEM file's first certificate; empty: none. */
  public static String commonName(Path certificate) {
    X509Certificate own = (X509Certificate) Pem.certificates(certificate).get(0);
    try {
      return new LdapName(own.getSubjectX500Principal().getName())
          .getRdns().stream()
              .filter(part -> part.getType().equalsIgnoreCase("CN"))
              .map(part -> part.getValue().toString())
              .findFirst()
              .orElse("");
    } catch (InvalidNameException e) {
      throw new TlsException("cannot read the subject of " + certificate, e);
    }
  }

  /** Reads the files once. Throws {@link TlsException}. */
  public static SSLContext context(ClientFiles files) {
    SSLFactory.Builder builder = SSLFactory.builder();
    if (files.authorities() == null) {
      builder.withDefaultTrustMaterial();
    } else {
      builder.withTrustMaterial(Pem.certificates(files.authorities()));
    }
    if (files.certificate() != null && files.key() != null) {
      builder.withIdentityMaterial(Pem.identity(files.certificate(), files.key()));
    }
    return builder.build().getSslContext();
  }
}
