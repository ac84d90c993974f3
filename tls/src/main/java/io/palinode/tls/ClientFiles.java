package io.palinode.tls;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of a client.
 *
 * @param authorities the authorities of servers' certificates; null: those that Java trusts
 * @param certificate the client's certificate, then those of its authorities; null: none
 * @param key the certificate's private key, without a password
 */
public record ClientFiles(
    @Nullable Path authorities, @Nullable Path certificate, @Nullable Path key) {
  public ClientFiles {
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException(
          "a certificate and its key must be named together: certificate=%s key=%s"
              .formatted(certificate, key));
    }
  }
}
