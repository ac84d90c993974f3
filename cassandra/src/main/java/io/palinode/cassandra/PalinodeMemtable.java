package io.palinode.cassandra;

import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import org.apache.cassandra.db.memtable.Memtable;

/**
 * The memtable that {@code cassandra.yaml} names. Tables that choose it are watched.
 *
 * <p>Only this package is in Cassandra's loader: Palinode and Cassandra need different versions of
 * the same libraries.
 */
public final class PalinodeMemtable {
  private static final String FACTORY = "io.palinode.cassandra.memtable.WatchedMemtables";

  private PalinodeMemtable() {}

  /**
   * The factory for these parameters, which are removed. Throws {@code ConfigurationException} with
   * the parameter and the rule.
   */
  public static Memtable.Factory factory(Map<String, String> parameters) {
    try {
      return (Memtable.Factory)
          OwnLoader.LOADER
              .loadClass(FACTORY)
              .getMethod("factory", Map.class)
              .invoke(null, parameters);
    } catch (InvocationTargetException e) {
      if (e.getTargetException() instanceof RuntimeException refusal) {
        throw refusal;
      }
      throw new IllegalStateException(e.getTargetException());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the jar of palinode-cassandra is not whole", e);
    }
  }
}
