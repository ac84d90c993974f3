package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Resume;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/** What must hold of budget and approval, of the records that count in the control log. */
public final class GateChecks {
  private final boolean needsApproval;
  private final int plansMax;
  private final long perMicros;
  private final ArrayDeque<Long> opened = new ArrayDeque<>();

  /** What waits, by number: the least time of its violations. */
  private final Map<Long, Long> waiting = new HashMap<>();

  private boolean keeping;
  private boolean appliedLate;

  /**
   * @param plansMax so many within {@code perMicros}
   */
  public GateChecks(boolean needsApproval, int plansMax, long perMicros) {
    this.needsApproval = needsApproval;
    this.plansMax = plansMax;
    this.perMicros = perMicros;
  }

  /**
   * A version of the predicate was applied.
   *
   * @param late while clients wrote
   */
  public void applied(boolean late) {
    appliedLate |= late;
  }

  /** A record came into the log, and counts. */
  public void counted(ControlRecord record) {
    switch (record.getStepCase()) {
      case GATE -> gate(record.getGate());
      case PLAN_OPENED -> opened(record.getPlanOpened(), record.getAtMicros());
      case RESTORE -> keeping = record.getRestore().getKeep();
      case RESUME -> resumed(record.getResume());
      case SAFE_POINT -> safePoint(record.getSafePoint().getHlc());
      default -> {}
    }
  }

  private void gate(GateStep step) {
    if (step.hasAsked()) {
      ApprovalAsked asked = step.getAsked();
      waiting.merge(asked.getNumber(), asked.getViolate(), Math::min);
    } else if (step.hasLetStand() && step.getLetStand().getRejects() != 0) {
      answered(step.getLetStand().getRejects());
    } else if (step.hasLetStand() && step.getLetStand().getHeld() && !appliedLate) {
      throw new BrokenInvariant(
          Invariant.GATE, "stands though somebody watched all the time: " + step.getLetStand());
    }
  }

  private void opened(PlanOpened plan, long atMicros) {
    if (needsApproval) {
      answered(plan.getApproves());
    }
    opened.add(atMicros);
    if (opened.size() > plansMax && atMicros - opened.remove() < perMicros) {
      throw new BrokenInvariant(
          Invariant.GATE, "more than %d plans in %d us".formatted(plansMax, perMicros));
    }
  }

  private void answered(long number) {
    if (waiting.remove(number) == null) {
      throw new BrokenInvariant(
          Invariant.GATE, "an answer to a request that does not wait: " + number);
    }
  }

  private void resumed(Resume resume) {
    waiting.values().removeIf(violate -> keeping || resume.getTarget() < violate);
  }

  private void safePoint(long hlc) {
    waiting.forEach(
        (number, violate) -> {
          if (hlc >= violate) {
            throw new BrokenInvariant(
                Invariant.GATE,
                "the safe point %s passes what waits for approval, request %d at %s"
                    .formatted(Hlc.format(hlc), number, Hlc.format(violate)));
          }
        });
  }
}
