package io.palinode.tls;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of a listener.
 *
 * @param certificate the server's certificate, then those of its authorities
 * @param key the certificate's private key, without a password
 * @param clientAuthorities the authorities of clients' certificates; null: clients send none
 */
public record ServerFiles(Path certificate, Path key, @Nullable Path clientAuthorities) {
  List<Path> all() {
    List<Path> files = new ArrayList<>(List.of(certificate, key));
    if (clientAuthorities != null) {
      files.add(clientAuthorities);
    }
    return files;
  }
}
