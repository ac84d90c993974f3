package io.palinode.store.control;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.TermIndex;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.store.affected.Affected;
import io.palinode.store.binding.UndoLog;
import io.palinode.wire.v1.AtKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Intervals that are open again because the write that ended them is undone, while other writes
 * stand. No judgement covers such an interval together with later ones.
 *
 * @param back the terms that hold at restored keys
 * @param stood the terms that match keys with a write after the target that stands
 */
record EndedIntervals(List<AtKey> back, List<AtKey> stood) {
  static final EndedIntervals NONE = new EndedIntervals(List.of(), List.of());

  /** Beyond this only predicates are named; both lists go into one record. */
  static final int BYTES_MAX = Pieces.BYTES_MAX;

  /**
   * While the store is paused, after the undo.
   *
   * @param changed all keys of this node that changed after the target
   * @param standing those of all nodes of which a write after it stands
   */
  static EndedIntervals of(
      UndoLog store,
      LocalDetector detector,
      List<StoreKey> changed,
      Affected extent,
      Set<Long> standing) {
    Set<AtKey> back = new LinkedHashSet<>();
    Set<AtKey> stood = new LinkedHashSet<>();
    for (StoreKey key : changed) {
      long of = store.accessKey(key);
      if (extent.keys().containsKey(of)) {
        for (Holding held : detector.holdingAt(key)) {
          back.add(atKey(held.term(), held.instance().toString(), of));
        }
      }
      if (standing.contains(of)) {
        for (TermIndex.Match match : detector.matches(key)) {
          stood.add(atKey(match.term(), match.term().instance(match.byKey()).toString(), of));
        }
      }
    }
    return new EndedIntervals(bounded(back), bounded(stood));
  }

  private static AtKey atKey(WatchedTerm term, String binding, long key) {
    return AtKey.newBuilder()
        .setPredicate(term.predicate())
        .setPredicateVersion(term.version())
        .setBinding(binding)
        .setKey(key)
        .build();
  }

  /** Without binding and key an entry stands for all of its predicate. */
  private static List<AtKey> bounded(Set<AtKey> all) {
    if (all.stream().mapToLong(AtKey::getSerializedSize).sum() <= BYTES_MAX) {
      return List.copyOf(all);
    }
    return all.stream()
        .map(each -> each.toBuilder().clearBinding().clearKey().build())
        .distinct()
        .toList();
  }
}
