package io.palinode.voldemort.client;

import org.jspecify.annotations.Nullable;

/**
 * Stub: one store, with text keys and values; siblings are resolved by vector clock, then newest
 * timestamp, then greatest bytes.
 */
public final class Store {
  Store() {}

  public @Nullable String get(String key) {
    throw new IllegalStateException("stub" + key);
  }

  /** Reads the present version (R nodes), supersedes it. Retries when another writer was faster. */
  public Written put(String key, String value) {
    throw new IllegalStateException("stub" + key + value);
  }

  public boolean delete(String key) {
    throw new IllegalStateException("stub" + key);
  }

  /**
   * @param node the node that accepted the write first
   * @param acceptedAt that node's HLC of the write; 0 from a stock node
   */
  public record Written(int node, long acceptedAt) {}
}
