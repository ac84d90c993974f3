package io.palinode.detector;

import io.palinode.detector.affected.Affected;
import io.palinode.wire.v1.AtKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a node tells of intervals that a write had ended which is undone, while others stand: such
 * an interval goes on, and nobody has judged it beside what came since.
 *
 * @param back what holds at keys that went back
 * @param stood what the keys are about of which a write after the target stands
 */
record EndedIntervals(List<AtKey> back, List<AtKey> stood) {
  static final EndedIntervals NONE = new EndedIntervals(List.of(), List.of());

  /** Of more, it is told only of which predicates they are; both go into one record. */
  static final int TOLD_BYTES_MAX = Pieces.BYTES_MAX;

  /**
   * While the store is paused, after the undo.
   *
   * @param changed all keys of this node that changed after the target
   * @param standing those of all nodes of which a write after it stands
   */
  static EndedIntervals of(
      StoreBinding store,
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
          back.add(told(held.term(), held.binding().toString(), of));
        }
      }
      if (standing.contains(of)) {
        for (TermIndex.Match match : detector.matches(key)) {
          stood.add(told(match.term(), match.byKey().toString(), of));
        }
      }
    }
    return new EndedIntervals(bounded(back), bounded(stood));
  }

  private static AtKey told(WatchedTerm term, String binding, long key) {
    return AtKey.newBuilder()
        .setPredicate(term.predicate())
        .setPredicateVersion(term.version())
        .setBinding(binding)
        .setKey(key)
        .build();
  }

  /** A binding of nothing, and no key: it may be any. */
  private static List<AtKey> bounded(Set<AtKey> all) {
    if (all.stream().mapToLong(AtKey::getSerializedSize).sum() <= TOLD_BYTES_MAX) {
      return List.copyOf(all);
    }
    return all.stream()
        .map(each -> each.toBuilder().clearBinding().clearKey().build())
        .distinct()
        .toList();
  }
}
