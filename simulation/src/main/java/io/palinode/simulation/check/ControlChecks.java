package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.RecordBounds;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.AffectedClient;
import io.palinode.wire.v1.Concerned;
import io.palinode.wire.v1.ControlRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The invariants of the control log, checked at each record. The orchestrator's projection of the
 * log gives the meaning of the records.
 */
public final class ControlChecks {
  /**
   * What was read from the log of a plan that has ended.
   *
   * @param concerned null: all that was written after the target was undone
   */
  record Ended(
      long epoch, long target, long clock, boolean abandoned, @Nullable Concerned concerned) {

    /**
     * Up to when that stands which a client wrote before the epoch, by its name; {@link
     * Long#MAX_VALUE}: all of it.
     */
    long standsTo(String client) {
      return concerned == null
          ? target
          : concerned.getClientsList().stream()
              .filter(each -> each.getClient().equals(client))
              .mapToLong(AffectedClient::getStandsTo)
              .findFirst()
              .orElse(Long.MAX_VALUE);
    }
  }

  private final int nodes;
  private final boolean repeats;
  private final Set<String> steps = new HashSet<>();
  private final Map<Long, Ended> ended = new HashMap<>();
  private final CoverageChecks coverage = new CoverageChecks();
  private ControlLogState truth;
  private long appended;
  private long judged;
  private int halts;
  private int stepsBack;
  private boolean keeping;

  /** Whether the only attempt undoes nothing, so that all data stands. */
  private boolean undoingNothing;

  /**
   * @param repeats whether steps may come late, or again, from an orchestrator that is dead
   */
  public ControlChecks(int nodes, boolean repeats) {
    this.nodes = nodes;
    this.repeats = repeats;
    this.truth = ControlLogState.empty(nodes);
  }

  /** Judgement has come so far, as the violations' log says. */
  public void judged(long hlc) {
    judged = Math.max(judged, hlc);
    coverage.judged(hlc);
  }

  public CoverageChecks coverage() {
    return coverage;
  }

  public ControlLogState truth() {
    return truth;
  }

  public int halts() {
    return halts;
  }

  public int stepsBack() {
    return stepsBack;
  }

  /** The plan that opened an epoch, once it has ended. */
  @Nullable Ended ended(long epoch) {
    return ended.get(epoch);
  }

  /** Whether a plan has ended that undid all that was written in an epoch at or after a time. */
  public boolean isTakenBack(long epoch, long hlc) {
    return ended.values().stream()
        .anyMatch(
            plan ->
                plan.epoch() > epoch
                    && !plan.abandoned()
                    && plan.concerned() == null
                    && plan.target() < hlc);
  }

  public int plans() {
    return ended.size();
  }

  /** A record came into the log. */
  public void appended(ControlRecord record) {
    requireThatReadersAccept(record);
    ControlLogState before = truth;
    truth = truth.read(record);
    if (!repeats) {
      requireFirst(record);
    }
    if (truth.equals(before)) {
      return;
    }
    coverage.counted(record);
    switch (record.getStepCase()) {
      case RESTORE -> restoring(record);
      case HALTED -> halts++;
      case SAFE_POINT ->
          require(
              Invariant.SAFE_POINT,
              record.getSafePoint().getHlc() <= judged,
              () ->
                  "a safe point must be judged: %s, judged %s"
                      .formatted(Hlc.format(record.getSafePoint().getHlc()), Hlc.format(judged)));
      case CONVERGE -> converging(before.plan());
      case RESUME -> resuming(before.plan(), record);
      default -> {}
    }
  }

  private void requireThatReadersAccept(ControlRecord record) {
    RecordBounds place = new RecordBounds(nodes, appended++, record.getAtMicros() / 1_000);
    try {
      ControlRecordCheck.require(record, place);
    } catch (IllegalArgumentException refused) {
      require(Invariant.PROTOCOL, false, () -> "readers refuse a record: " + refused.getMessage());
    }
  }

  private void restoring(ControlRecord record) {
    stepsBack += record.getRestore().getAttempt() > 1 ? 1 : 0;
    keeping = record.getRestore().getKeep();
    undoingNothing =
        keeping
            && record.getRestore().getAttempt() == 1
            && !record.getRestore().getRestart()
            && !record.getRestore().getAsIs();
    if (keeping) {
      return;
    }
    long target = record.getRestore().getTarget();
    require(
        Invariant.PROTOCOL,
        !record.getRestore().hasAffected() || record.getRestore().getPast() <= judged,
        () -> "what stands beside what is undone is judged first: judged " + Hlc.format(judged));
    require(
        Invariant.SAFE_POINT,
        target >= truth.safePoint(),
        () ->
            "a restore to %s overtakes the safe point %s"
                .formatted(Hlc.format(target), Hlc.format(truth.safePoint())));
    require(
        Invariant.PROTOCOL,
        target <= judged,
        () ->
            "a restore to %s waits for judgement, which is at %s"
                .formatted(Hlc.format(target), Hlc.format(judged)));
  }

  /** A plan that ends as it is exchanges nothing after this: so its epoch begins. */
  private void converging(@Nullable Plan plan) {
    require(
        Invariant.PROTOCOL,
        plan != null && plan.halts().ending().isAll(plan.acked(), nodes),
        () -> "every node that runs answers before the exchange: " + plan);
  }

  private void resuming(@Nullable Plan plan, ControlRecord record) {
    boolean asIs = record.getResume().getAsIs();
    require(
        Invariant.PROTOCOL,
        plan != null
            && plan.phase() == Phase.CONVERGING
            && asIs == plan.steps().decision().asIs()
            && (asIs || plan.acked().size() == nodes),
        () -> "an epoch begins when all nodes have converged: " + plan);
    ended.put(
        record.getEpoch(),
        new Ended(
            record.getEpoch(),
            undoingNothing
                ? Math.max(record.getResume().getTarget(), record.getResume().getClock())
                : record.getResume().getTarget(),
            record.getResume().getClock(),
            keeping,
            record.getResume().hasConcerned() ? record.getResume().getConcerned() : null));
  }

  private void requireFirst(ControlRecord record) {
    boolean isStep =
        switch (record.getStepCase()) {
          case PLAN_OPENED, PAUSE, RESTORE, CONVERGE, RESUME, HALTED -> true;
          default -> false;
        };
    String step =
        "%d %s %d %d %d"
            .formatted(
                record.getEpoch(),
                record.getStepCase(),
                record.getRestore().getAttempt(),
                record.getConverge().getAttempt(),
                record.hasHalted() ? halts : 0);
    require(
        Invariant.PROTOCOL, !isStep || steps.add(step), () -> "a step is written twice: " + step);
  }

  private static void require(Invariant invariant, boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      throw new BrokenInvariant(invariant, otherwise.get());
    }
  }
}
