package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.SimulatedNode.Variable;
import io.palinode.orchestrator.plan.OperatorPart;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks each record that enters the control log of a {@link World}, and counts plans. */
final class WorldChecks {
  private final World world;
  private final Set<String> stepsInLog = new HashSet<>();
  private long unclaimedFrom = Long.MAX_VALUE;
  private int stepsBack;
  private int halts;
  private int abandoned;
  private int cancelled;
  private int undos;

  WorldChecks(World world) {
    this.world = world;
  }

  int stepsBack() {
    return stepsBack;
  }

  int halts() {
    return halts;
  }

  int abandoned() {
    return abandoned;
  }

  int cancelled() {
    return cancelled;
  }

  int undos() {
    return undos;
  }

  /** An operator acknowledged all coverage gaps. */
  void acknowledged() {
    unclaimedFrom = Long.MAX_VALUE;
  }

  /** Checks the effect of {@code record} on a log that was in state {@code before}. */
  void read(ControlLogState before, ControlRecord record) {
    if (!world.faults().zombies()) {
      checkOnlyOnce(record);
      assertThat(record.hasSafePoint() && before.plan() != null)
          .as("a safe point is not written while a plan is open")
          .isFalse();
    }
    if (world.truth().equals(before)) {
      return;
    }
    switch (record.getStepCase()) {
      case RESTORE -> checkRestore(record);
      case HALTED -> halts++;
      case SAFE_POINT -> checkSafePoint();
      case RESUME -> checkResume(before, record);
      default -> {}
    }
  }

  private void checkOnlyOnce(ControlRecord r) {
    boolean isStep =
        switch (r.getStepCase()) {
          case PLAN_OPENED, PAUSE, RESTORE, CONVERGE, RESUME, HALTED -> true;
          default -> false;
        };
    String step =
        r.getEpoch()
            + " "
            + r.getStepCase()
            + " "
            + r.getRestore().getAttempt()
            + r.getConverge().getAttempt()
            + (r.hasHalted() ? " of halts before: " + halts : "");
    assertThat(!isStep || stepsInLog.add(step)).as("written twice: %s", step).isTrue();
  }

  private void checkRestore(ControlRecord record) {
    stepsBack += record.getRestore().getAttempt() > 1 ? 1 : 0;
    @Nullable Plan plan = world.truth().plan();
    boolean byHand = plan != null && plan.operator().isByHand();
    // An abandon gives up the violations before it, found or not.
    boolean abandons = plan != null && plan.isAbandoned();
    assertThat(record.getRestore().getTarget())
        .as("only an operator's target is before the safe point")
        .isGreaterThanOrEqualTo(byHand ? 0 : world.truth().safePoint())
        .as("a restore waits for judgement")
        .isLessThanOrEqualTo(abandons ? Long.MAX_VALUE : world.judgedMax());
  }

  private void checkSafePoint() {
    assertThat(world.truth().safePoint())
        .as("the safe point is judged, and stops at a gap")
        .isLessThanOrEqualTo(world.judgedMax())
        .isLessThan(world.lostFrom())
        .as("it is not in an abandoned span")
        .isLessThanOrEqualTo(unclaimedFrom);
  }

  private void checkResume(ControlLogState before, ControlRecord record) {
    if (before.plan() != null && before.plan().isAbandoned()) {
      abandoned++;
      unclaimedFrom = Math.max(world.truth().safePoint(), before.plan().target());
    } else if (before.plan() != null && before.plan().isCancelled()) {
      cancelled++;
      world.simulatedNodes().forEach(node -> node.requireAsPaused(record.getEpoch()));
    } else {
      checkCut(record);
      checkUndo(before, record);
    }
  }

  /** All nodes are on the cut, and no clause with a rollback holds on it. */
  private void checkCut(ControlRecord resume) {
    Set<Variable> holding = new HashSet<>();
    world.simulatedNodes().forEach(n -> holding.addAll(n.holding()));
    for (Variable variable : holding) {
      Variable other = new Variable(variable.predicate(), 1 - variable.term(), variable.binding());
      assertThat(!mustNotHold(variable) || !holding.contains(other))
          .as("%s and %s hold on the cut %s", variable, other, World.oneLine(resume))
          .isTrue();
    }
  }

  /** A reinstate restores the writes each node had when the undone plan paused it. */
  private void checkUndo(ControlLogState before, ControlRecord resume) {
    OperatorPart operator = before.plan() == null ? null : before.plan().operator();
    PastPlan undone = operator == null ? null : before.plans().pastPlan(operator.undoes());
    if (undone != null && undone.branchEnd() == resume.getResume().getTarget()) {
      undos++;
      world.simulatedNodes().forEach(node -> node.requireAsPaused(undone.epoch()));
    }
  }

  private boolean mustNotHold(Variable variable) {
    return !variable.predicate().equals("r")
        && world.isApplied(variable.predicate())
        && !world
            .truth()
            .gates()
            .holds(variable.predicate(), "b=" + variable.binding(), Long.MAX_VALUE - 1);
  }
}
