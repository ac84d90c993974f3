package io.palinode.store.conformance;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.past.RecordRules;
import java.util.List;
import java.util.Random;

/** One cluster of a store under test. Each history has its own, whose nodes are empty. */
public interface KitStore {
  RecordRules rules();

  /** One of the keys that every node holds. */
  StoreKey key(int number);

  /** Begins another incarnation of a node, over what the earlier ones left. */
  KitNode open(KitSite site);

  /**
   * A write that a client may make. Some writes are deletes, some are older than what is there.
   * Marks of deletes cover what the client found, or less. If the store has such marks, no two
   * versions have one name.
   *
   * @param found the versions at a node that the client has read
   * @param first the node that accepts the write first
   */
  KitWrite write(StoreKey key, List<Version> found, int first, Random random);
}
