package io.palinode.store.conformance;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import org.jspecify.annotations.Nullable;

/**
 * A put of a version, or a delete of what a mark covers.
 *
 * @param first the node that accepts it first
 */
public record KitWrite(StoreKey key, @Nullable Version added, byte @Nullable [] mark, int first) {
  public static KitWrite put(StoreKey key, Version added, int first) {
    return new KitWrite(key, added, null, first);
  }

  /** Of a store that removes records. A store with tombstones puts them. */
  public static KitWrite delete(StoreKey key, byte[] mark, int first) {
    return new KitWrite(key, null, mark, first);
  }
}
