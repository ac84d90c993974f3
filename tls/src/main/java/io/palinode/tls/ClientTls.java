package io.palinode.tls;

import javax.net.ssl.SSLContext;
import nl.altindag.ssl.SSLFactory;

/** The TLS of a client. */
public final class ClientTls {
  private ClientTls() {}

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
