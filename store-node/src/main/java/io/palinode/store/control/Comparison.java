package io.palinode.store.control;

import io.palinode.detector.binding.StoreKey;
import io.palinode.wire.v1.KeyGroups;
import io.palinode.wire.v1.Restored;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The differences between nodes in an attempt, from their records before {@code Converge}. Every
 * reader of the log thus computes the same.
 *
 * @param keys that differ, or for which some node published no digest; slices if the attempt
 *     compares all keys
 * @param groups of keys that differ; nodes name their keys next
 */
record Comparison(List<StoreKey> keys, Set<KeyGroup> groups) {

  static Comparison of(List<Restored> restored) {
    Agreement<StoreKey> keys = new Agreement<>();
    Agreement<KeyGroup> groups = new Agreement<>();
    for (Restored piece : restored) {
      for (io.palinode.wire.v1.StoreKey key : piece.getChangedList()) {
        keys.add(piece.getNode(), key(key), key.getDigest(), key.getReplicas());
      }
      for (KeyGroups some : piece.getGroupsList()) {
        KeyGroup.addTo(groups, piece.getNode(), some);
      }
    }
    return new Comparison(keys.unsettled(), new LinkedHashSet<>(groups.unsettled()));
  }

  static StoreKey key(io.palinode.wire.v1.StoreKey message) {
    return new StoreKey(message.getStore(), message.getKey().toByteArray());
  }

  /** Whether all replicas are equal, so that nothing is exchanged. */
  boolean isAlike() {
    return keys.isEmpty() && groups.isEmpty();
  }
}
