package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.GapsAcknowledged;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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
                .formatted(Hlc.format(safePoint), Hlc.format(gap.loss().getToHlc())));
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
}
