package io.palinode.simulation.check;

import io.palinode.detector.binding.Unseen;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.simulation.check.CoverageChecks.Losses;
import io.palinode.wire.v1.Violation;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A clause whose violations have one interval each. */
public interface SingleChecks {
  /** When the interval is a violation. */
  long violate(Interval interval);

  /** Whether a coverage gap, published before {@code violate} was judged, may hide it. */
  boolean isHidden(Losses losses, Interval interval, long violate);

  /** Throws unless each report is of an interval that is a violation. */
  void requireSound(
      Collection<Violation> reported,
      Function<Violation, @Nullable Interval> intervals,
      Collection<Interval> ended);

  /** Throws unless each violation that must be known is reported or in a gap. */
  void requireCovering(
      Collection<Interval> ended, Predicate<Interval> mustBeKnown, Predicate<Interval> isKnown);

  /**
   * A clause of {@code lostUpdate} or {@code staleRead}: each interval is a violation. No scan
   * finds one.
   */
  final class OfOperations implements SingleChecks {
    @Override
    public long violate(Interval interval) {
      return interval.start.own();
    }

    @Override
    public boolean isHidden(Losses losses, Interval interval, long violate) {
      return losses.hideStartBefore(violate, interval);
    }

    @Override
    public void requireSound(
        Collection<Violation> reported,
        Function<Violation, @Nullable Interval> intervals,
        Collection<Interval> ended) {
      for (Violation violation : reported) {
        Interval interval = intervals.apply(violation);
        if (interval == null || interval.found) {
          throw new BrokenInvariant(
              Invariant.SOUND, BrokenInvariant.text(violation) + " is of " + interval);
        }
      }
    }

    @Override
    public void requireCovering(
        Collection<Interval> ended, Predicate<Interval> mustBeKnown, Predicate<Interval> isKnown) {
      for (Interval interval : ended) {
        if (!interval.found && mustBeKnown.test(interval) && !isKnown.test(interval)) {
          throw new BrokenInvariant(
              Invariant.COVERING, "neither reported nor in a gap: " + interval);
        }
      }
    }
  }

  /**
   * What nodes find as lost updates: each write of a client is compared with the definition when
   * its node commits it. The intervals are then those of the lost updates that were found.
   */
  final class LostUpdates {
    private final VersionOrder order;

    public LostUpdates(VersionOrder order) {
      this.order = order;
    }

    /**
     * What the writer of a put had seen, as clients know it.
     *
     * @param surely what it had read, and what it had written that no rollback discarded
     * @param perhaps all that it had ever read or tried to write
     */
    public record Seen(List<Version> surely, List<Version> perhaps) {}

    /**
     * Throws unless what counts as lost is what the put removed, and its writer had not seen.
     *
     * @param before the versions of the key before the put
     * @param seen null: the put states nothing, or is a copy
     */
    public void require(List<Version> before, WriteEvent event, @Nullable Seen seen) {
      Unseen unseen = event.unseen();
      List<Version> found = unseen == null ? List.of() : unseen.lost();
      List<Version> removed =
          before.stream()
              .filter(each -> event.siblings().stream().noneMatch(each::isSameWriteAs))
              .toList();
      boolean isSound =
          found.stream()
              .allMatch(
                  lost ->
                      seen != null
                          && removed.stream().anyMatch(lost::isSameWriteAs)
                          && !covers(seen.surely(), lost));
      boolean isWhole =
          seen == null
              || removed.stream()
                  .filter(each -> !covers(seen.perhaps(), each))
                  .allMatch(lost -> found.stream().anyMatch(lost::isSameWriteAs));
      if (!isSound || !isWhole) {
        throw new BrokenInvariant(
            Invariant.LOST_UPDATE,
            "client %s removes %s; found as lost %s; had surely seen %s, perhaps %s"
                .formatted(
                    event.writer(),
                    names(removed),
                    names(found),
                    seen == null ? "nothing" : names(seen.surely()),
                    seen == null ? "nothing" : names(seen.perhaps())));
      }
    }

    private static List<String> names(List<Version> versions) {
      return versions.stream()
          .map(each -> Write.versionOf("", each.clock(), each.timestampMs()))
          .toList();
    }

    private boolean covers(List<Version> seen, Version lost) {
      return seen.stream().anyMatch(each -> order.isAtMost(lost, each));
    }
  }
}
