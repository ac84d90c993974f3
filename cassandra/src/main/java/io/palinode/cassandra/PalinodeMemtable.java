package io.palinode.cassandra;

import io.palinode.loader.NestedJarLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import org.apache.cassandra.db.memtable.Memtable;

/**
 * The memtable that {@code cassandra.yaml} names. Tables that choose it are watched.
 *
 * <p>The only class of ours that Cassandra's loader loads, with the loader of all others: Palinode
 * and Cassandra need different versions of the same libraries.
 */
public final class PalinodeMemtable {
  private static final String FACTORY = "io.palinode.cassandra.memtable.WatchedMemtables";

  /** Cassandra's own classes, and those that its interfaces and its log have. */
  private static final List<String> SHARED =
      List.of("org.apache.cassandra.", "com.google.common.", "org.slf4j.");

  private PalinodeMemtable() {}

  /**
   * The factory for these parameters, which are removed. Throws {@code ConfigurationException} with
   * the parameter and the rule.
   */
  public static Memtable.Factory factory(Map<String, String> parameters) {
    try {
      return (Memtable.Factory)
          Own.LOADER.loadClass(FACTORY).getMethod("factory", Map.class).invoke(null, parameters);
    } catch (InvocationTargetException e) {
      if (e.getTargetException() instanceof RuntimeException refusal) {
        throw refusal;
      }
      throw new IllegalStateException(e.getTargetException());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the jar of palinode-cassandra is not whole", e);
    }
  }

  /** One loader for all configurations. */
  private static final class Own {
    static final ClassLoader LOADER = open();

    private static ClassLoader open() {
      try {
        return NestedJarLoader.open("palinode-cassandra", PalinodeMemtable.class, SHARED);
      } catch (IOException e) {
        throw new UncheckedIOException("the jar of palinode-cassandra cannot be read", e);
      }
    }
  }
}
