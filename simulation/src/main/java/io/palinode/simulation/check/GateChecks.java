package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.ApprovalAsked;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.LetStand;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.Resume;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What must hold of budget and approval, of the records that count in the control log. */
public final class GateChecks {
  private final boolean needsApproval;
  private final int plansMax;
  private final long perMicros;
  private final ArrayDeque<Long> opened = new ArrayDeque<>();

  /** What waits, by number. */
  private final Map<Long, List<Asked>> waiting = new HashMap<>();

  /** Of the plans that ended, by the clock of each: the cut there is the one at the target. */
  private final NavigableMap<Long, Long> targets = new TreeMap<>();

  private boolean keeping;
  private long safePoint;

  /** The greatest one whose append has failed: the log may hold it. */
  private long unknownSafePoint;

  /**
   * A request, or what joined it.
   *
   * @param violate the least time of its violations
   * @param at its place in the log
   */
  private record Asked(long violate, int at) {}

  /**
   * @param plansMax so many within {@code perMicros}
   */
  public GateChecks(boolean needsApproval, int plansMax, long perMicros) {
    this.needsApproval = needsApproval;
    this.plansMax = plansMax;
    this.perMicros = perMicros;
  }

  /**
   * A record came into the log, and counts.
   *
   * @param at its place there
   * @param read so many records were read by who wrote it, when it was made
   */
  public void counted(ControlRecord record, int at, int read) {
    switch (record.getStepCase()) {
      case GATE -> gate(record.getGate(), at);
      case PLAN_OPENED -> opened(record.getPlanOpened(), record.getAtMicros());
      case RESTORE -> keeping = record.getRestore().getKeep();
      case RESUME -> resumed(record.getResume());
      case SAFE_POINT -> safePoint(record.getSafePoint().getHlc(), read);
      default -> {}
    }
  }

  private void gate(GateStep step, int at) {
    if (step.hasAsked()) {
      ApprovalAsked asked = step.getAsked();
      waiting
          .computeIfAbsent(asked.getNumber(), number -> new ArrayList<>())
          .add(new Asked(asked.getViolate(), at));
    } else if (step.hasLetStand() && step.getLetStand().getRejects() != 0) {
      answered(step.getLetStand().getRejects());
    } else if (step.hasLetStand() && step.getLetStand().getHeld() && !keeping) {
      requireAtSafePoint(step.getLetStand());
    }
  }

  /** Before that cut no rollback may go. */
  private void requireAtSafePoint(LetStand stands) {
    long cut = stands.getFromHlc();
    for (Map.Entry<Long, Long> plan : targets.descendingMap().entrySet()) {
      cut = plan.getKey() == cut ? plan.getValue() : cut;
    }
    if (cut > Math.max(safePoint, unknownSafePoint)) {
      throw new BrokenInvariant(
          Invariant.GATE,
          "an instance stands after the safe point %s: %s"
              .formatted(Hlc.format(safePoint), stands));
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
    targets.put(resume.getClock(), keeping ? 0 : resume.getTarget());
    waiting
        .values()
        .removeIf(
            all -> keeping || all.stream().allMatch(asked -> resume.getTarget() < asked.violate()));
  }

  /** Of two orchestrators, one may ask while a safe point of the other is on its way. */
  /** The append of this record has failed, as far as its writer knows. */
  public void appendFailed(ControlRecord record) {
    if (record.hasSafePoint()) {
      unknownSafePoint = Math.max(unknownSafePoint, record.getSafePoint().getHlc());
    }
  }

  private void safePoint(long hlc, int read) {
    safePoint = hlc;
    waiting.forEach(
        (number, all) ->
            all.forEach(
                asked -> {
                  if (asked.at() < read && hlc >= asked.violate()) {
                    throw new BrokenInvariant(
                        Invariant.GATE,
                        "the safe point %s passes what waits for approval, request %d at %s"
                            .formatted(Hlc.format(hlc), number, Hlc.format(asked.violate())));
                  }
                }));
  }
}
