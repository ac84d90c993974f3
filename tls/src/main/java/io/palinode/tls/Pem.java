package io.palinode.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.util.List;
import javax.net.ssl.X509ExtendedKeyManager;
import nl.altindag.ssl.pem.util.PemUtils;
import nl.altindag.ssl.util.CertificateUtils;

/** Reads PEM files. */
final class Pem {
  private static final byte[] PROBE = {1};

  private Pem() {}

  /** Throws {@link TlsException}, also if the key is not the certificate's. */
  static X509ExtendedKeyManager identity(Path certificate, Path key) {
    String chain = read(certificate);
    List<Certificate> certificates = certificates(certificate);
    X509ExtendedKeyManager identity;
    try {
      identity = PemUtils.parseIdentityMaterial(chain, read(key), null);
    } catch (RuntimeException e) { // The library throws several kinds.
      throw new TlsException(
          "cannot read a private key from %s: it must be PEM without a password".formatted(key), e);
    }
    PrivateKey privateKey = identity.getPrivateKey(aliasOf(identity, certificates.get(0)));
    if (privateKey == null || !matches(privateKey, certificates.get(0))) {
      throw new TlsException("the key %s does not belong to %s".formatted(key, certificate));
    }
    return identity;
  }

  /** Throws {@link TlsException} unless the file has at least one. */
  static List<Certificate> certificates(Path file) {
    String text = read(file);
    try {
      List<Certificate> certificates = CertificateUtils.parsePemCertificate(text);
      if (!certificates.isEmpty()) {
        return certificates;
      }
    } catch (RuntimeException e) { // The library throws several kinds.
      throw new TlsException(
          "cannot read a certificate from %s: it must be PEM".formatted(file), e);
    }
    throw new TlsException("there is no certificate in %s: it must be PEM".formatted(file));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new TlsException("cannot read %s: %s".formatted(file, reason(e)), e);
    }
  }

  private static String reason(IOException e) {
    return e instanceof java.nio.file.NoSuchFileException ? "it does not exist" : e.toString();
  }

  private static String aliasOf(X509ExtendedKeyManager identity, Certificate certificate) {
    String[] aliases = identity.getServerAliases(certificate.getPublicKey().getAlgorithm(), null);
    return aliases == null || aliases.length == 0 ? "" : aliases[0];
  }

  private static boolean matches(PrivateKey key, Certificate certificate) {
    try {
      Signature signature = Signature.getInstance(algorithm(key));
      signature.initSign(key);
      signature.update(PROBE);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(PROBE);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static String algorithm(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "EC" -> "SHA256withECDSA";
      case "RSA" -> "SHA256withRSA";
      default -> key.getAlgorithm();
    };
  }
}
