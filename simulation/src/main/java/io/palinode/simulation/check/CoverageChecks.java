package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.GapsAcknowledged;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The invariants of coverage gaps: no safe point passes a gap that the control log does not hold,
 * and a gap counts as unknown until an operator acknowledges it. Has its own model.
 */
public final class CoverageChecks {
  private record Published(CoverageLost loss, long judgedBefore) {}

  private final List<Published> published = new ArrayList<>();
  private final Set<CoverageLost> recorded = new LinkedHashSet<>();
  private long judged;
  private long wanted;
  private long acknowledged;

  /** A record came into the violations log. */
  public void lost(CoverageLost loss) {
    published.add(new Published(loss, judged));
  }

  /** The incarnations that judgement skips. */
  public List<CoverageLost> skipped() {
    return published.stream().map(Published::loss).filter(loss -> loss.getToHlc() == 0).toList();
  }

  void judged(long hlc) {
    judged = Math.max(judged, hlc);
  }

  /** An operator acknowledges all gaps that the control log holds. */
  public void operatorAcknowledges() {
    wanted = recorded.size();
  }

  /** A record came into the control log, and counts. */
  void counted(ControlRecord record) {
    if (record.hasSafePoint()) {
      requireRecorded(record.getSafePoint().getHlc());
    } else if (record.getCoverage().hasFound()) {
      recorded.addAll(record.getCoverage().getFound().getGapsList());
    } else if (record.getCoverage().hasAcknowledged()) {
      acknowledged(record.getCoverage().getAcknowledged());
    }
  }

  /** Every gap before the first judgement that the safe point relies on. */
  private void requireRecorded(long safePoint) {
    for (Published gap : published) {
      if (gap.judgedBefore() < safePoint && !recorded.contains(gap.loss())) {
        throw new BrokenInvariant(
            Invariant.COVERAGE,
            "the safe point %s is published, and the control log does not hold the gap to %s"
                .formatted(Hlc.format(safePoint), Hlc.format(Coverage.end(gap.loss()))));
      }
    }
  }

  private void acknowledged(GapsAcknowledged answer) {
    long to = Math.min(answer.getToNumber(), recorded.size());
    if (to > Math.max(wanted, acknowledged)) {
      throw new BrokenInvariant(
          Invariant.COVERAGE,
          "gaps up to %d are acknowledged, and the operator has acknowledged %d"
              .formatted(to, wanted));
    }
    acknowledged = Math.max(acknowledged, to);
  }

  /** What an orchestrator shows that has read the whole control log. */
  public void requireShown(ControlLogState journal) {
    Coverage shown = journal.coverage();
    if (shown.unacknowledgedCount() != recorded.size() - acknowledged) {
      throw new BrokenInvariant(
          Invariant.COVERAGE,
          "%d gaps are unknown, and %d are shown"
              .formatted(recorded.size() - acknowledged, shown.unacknowledgedCount()));
    }
  }

  /** The coverage gaps that came into the violations log. */
  public static final class Losses {
    private final List<Loss> all = new ArrayList<>();

    /** {@code judged} is the judged HLC when the gap was published. */
    private record Loss(CoverageLost of, long judged) {}

    void add(CoverageLost loss, long judged) {
      all.add(new Loss(loss, judged));
    }

    boolean any(Predicate<CoverageLost> gap) {
      return all.stream().anyMatch(loss -> gap.test(loss.of()));
    }

    private boolean anyBefore(long hlc, Predicate<CoverageLost> gap) {
      return all.stream().anyMatch(loss -> loss.judged() < hlc && gap.test(loss.of()));
    }

    /** Whether one of this event of the node was published before {@code hlc} was judged. */
    boolean hideBefore(long hlc, Interval interval, Hvc event, int node) {
      return anyBefore(hlc, loss -> isOfNode(loss, node, interval) && isWithin(event, loss));
    }

    /**
     * Whether one that touches the trigger's time was published before {@code violate} was judged:
     * of triggers that were not judged, or of a node, which hides the end of an answer.
     */
    boolean haveTrigger(@Nullable Interval trigger, long violate) {
      return trigger != null
          && anyBefore(
              violate,
              loss ->
                  loss.getPartition() == trigger.partition
                      && loss.getFromHlc() <= violate
                      && trigger.start.own() <= Coverage.end(loss));
    }

    /** The same of its start, or of the interval from when judgement skips its node. */
    boolean hideStartBefore(long hlc, Interval interval) {
      int node = interval.watch.node();
      return hideBefore(hlc, interval, interval.start, node)
          || anyBefore(
              hlc,
              loss ->
                  isOfSkipped(loss) && loss.getFromHlc() <= hlc && isOfNode(loss, node, interval));
    }

    /** Whether the job itself has ended what the node left open. */
    static boolean isOfSkipped(CoverageLost loss) {
      return loss.getToHlc() == 0;
    }

    /** Whether one may hide a part of it. */
    boolean touch(@Nullable Interval interval, boolean joined) {
      return interval == null ? !all.isEmpty() : any(loss -> touches(loss, interval, joined));
    }

    private static boolean touches(CoverageLost loss, Interval interval, boolean joined) {
      Hvc end = interval.end;
      // A joined interval may have been begun, or be ended, by any replica.
      return isOfNode(loss, joined ? loss.getNode() : interval.watch.node(), interval)
          && interval.itself.start.own() <= Coverage.end(loss)
          && (end == null || end.own() >= loss.getFromHlc());
    }

    static boolean isOfNode(CoverageLost loss, int node, Interval interval) {
      return loss.getPartition() == interval.partition
          && (!loss.hasNode() || loss.getNode() == node);
    }

    static boolean isWithin(Hvc event, CoverageLost loss) {
      return loss.getFromHlc() <= event.own() && event.own() <= Coverage.end(loss);
    }
  }
}
