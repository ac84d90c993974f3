package io.palinode.store.control;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.terms.Holding;
import io.palinode.store.binding.UndoLog;
import io.palinode.wire.v1.IntervalRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Since when the terms that hold on a restored cut hold at this node, read from its window-log. The
 * orchestrator derives the next target from it if the cut is a violation. Only while paused.
 */
final class HeldSince {
  private static final long NEVER = Long.MAX_VALUE;

  private final LocalDetector detector;
  private final long from;
  private final long cut;
  private final Map<StoreKey, KeyTruth> byKey = new HashMap<>();

  private HeldSince(LocalDetector detector, long from, long cut) {
    this.detector = detector;
    this.from = from;
    this.cut = cut;
  }

  /**
   * What holds now, each term and binding once, with the HLC at which it became true on the cut.
   * Without the HLC if a merge alone made it true, and all without it if the window-log does not
   * reach {@code from}. O(changes after {@code from}), besides the cost of {@link
   * LocalDetector#holding}.
   *
   * @param from earlier times count as this one
   * @param cut the restored HLC
   */
  static List<IntervalRef> of(UndoLog store, LocalDetector detector, long from, long cut) {
    List<IntervalRef> holding = detector.holding();
    HeldSince since = new HeldSince(detector, from, cut);
    boolean isKnown =
        !holding.isEmpty()
            && store.visitChanges(from, key -> !detector.matches(key).isEmpty(), since::changed);
    return isKnown ? since.of(holding) : holding;
  }

  private void changed(long hlc, StoreKey key, List<Version> before) {
    KeyTruth truth = byKey.computeIfAbsent(key, each -> new KeyTruth(from));
    if (!truth.isPast(cut)) {
      truth.changed(hlc, terms(detector.holdingWith(key, before)));
    }
  }

  private List<IntervalRef> of(List<IntervalRef> holding) {
    // A term of other keys has been true since before all visited changes.
    Map<IntervalRef, Long> changed = new HashMap<>();
    byKey.forEach(
        (key, truth) -> {
          Set<IntervalRef> now = terms(detector.holdingAt(key));
          Map<IntervalRef, Long> since = truth.onCut(cut, now);
          now.forEach(term -> changed.merge(term, since.getOrDefault(term, NEVER), Math::min));
        });
    return holding.stream().map(term -> dated(term, changed.getOrDefault(term, from))).toList();
  }

  private static IntervalRef dated(IntervalRef term, long since) {
    return since == NEVER ? term : term.toBuilder().setSince(since).build();
  }

  private static Set<IntervalRef> terms(List<Holding> held) {
    return held.stream().map(CandidateEncoder::onCut).collect(Collectors.toSet());
  }

  /** The terms that are true at one key, change by change. */
  private static final class KeyTruth {
    private long lastChange;
    private Map<IntervalRef, Long> since = Map.of();

    KeyTruth(long from) {
      this.lastChange = from;
    }

    /** Whether {@link #since} is final, as the last change came after the cut. */
    boolean isPast(long cut) {
      return lastChange > cut;
    }

    /** These terms were true from the last change to this one. */
    void changed(long hlc, Set<IntervalRef> terms) {
      extend(terms);
      lastChange = hlc;
    }

    private void extend(Set<IntervalRef> terms) {
      Map<IntervalRef, Long> before = since;
      since =
          terms.stream()
              .collect(
                  Collectors.toMap(term -> term, term -> before.getOrDefault(term, lastChange)));
    }

    /** The terms on the cut with their times. The key has {@code now} since its last change. */
    Map<IntervalRef, Long> onCut(long cut, Set<IntervalRef> now) {
      if (!isPast(cut)) {
        extend(now);
      }
      return since;
    }
  }
}
