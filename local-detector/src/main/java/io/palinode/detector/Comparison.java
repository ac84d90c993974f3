package io.palinode.detector;

import io.palinode.wire.v1.KeyGroups;
import io.palinode.wire.v1.Restored;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What of an attempt differs between nodes, as they told it before it was to converge: so every
 * reader of the log comes to the same.
 *
 * @param keys that differ, or of which some node tells nothing; of an attempt that compares all
 *     keys, slices
 * @param groups of keys that differ: which of their keys do is told next
 */
record Comparison(List<StoreKey> keys, Set<KeyGroup> groups) {

  static Comparison of(List<Restored> told) {
    Agreement<StoreKey> keys = new Agreement<>();
    Agreement<KeyGroup> groups = new Agreement<>();
    for (Restored piece : told) {
      for (io.palinode.wire.v1.StoreKey key : piece.getChangedList()) {
        keys.add(piece.getNode(), key(key), key.getDigest(), key.getReplicas());
      }
      for (KeyGroups some : piece.getGroupsList()) {
        KeyGroup.addTo(groups, piece.getNode(), some);
      }
    }
    return new Comparison(keys.unsettled(), new LinkedHashSet<>(groups.unsettled()));
  }

  static StoreKey key(io.palinode.wire.v1.StoreKey told) {
    return new StoreKey(told.getStore(), told.getKey().toByteArray());
  }

  /** All replicas have the same: nothing is to be exchanged. */
  boolean isAlike() {
    return keys.isEmpty() && groups.isEmpty();
  }
}
