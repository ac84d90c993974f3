package io.palinode.cassandra;

import io.palinode.loader.NestedJarLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** The loader of all classes of ours but those of this package. */
final class OwnLoader {
  /** Cassandra's own classes, and those that its interfaces and its log have. */
  private static final List<String> SHARED =
      List.of("org.apache.cassandra.", "com.google.common.", "org.slf4j.");

  static final ClassLoader LOADER = open();

  private OwnLoader() {}

  private static ClassLoader open() {
    try {
      return NestedJarLoader.open("palinode-cassandra", PalinodeMemtable.class, SHARED);
    } catch (IOException e) {
      throw new UncheckedIOException("the jar of palinode-cassandra cannot be read", e);
    }
  }
}
