package io.palinode.simulation.orchestrator;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.simulation.environment.Dice;
import io.palinode.simulation.node.NodeMachine;
import io.palinode.simulation.node.NodeProcess;
import io.palinode.simulation.world.FailingDuties;
import io.palinode.simulation.world.PredicateVersion;
import io.palinode.simulation.world.World;
import io.palinode.wire.plan.Phase;
import io.palinode.wire.v1.CoverageLost;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * An operator who answers halts and requests, and acknowledges coverage gaps.
 *
 * <p>If a node cannot carry out a duty, the operator retries, then abandons, then ends the plan as
 * it is. A node that cannot do even that is stopped and named. So whatever fails for good, the plan
 * ends.
 */
public final class Operator {
  private static final int ABANDONED_MAX = 4;

  private final World world;
  private final List<NodeMachine> machines;

  /** The one that runs now. */
  private final Supplier<OrchestratorProcess> orchestrator;

  /** Only for requests, so that it changes no run without requests. */
  private final Dice requests;

  private final Set<Long> answeredHalts = new HashSet<>();
  private int abandoned;
  private boolean predicateDeleted;

  public Operator(
      World world, List<NodeMachine> machines, Supplier<OrchestratorProcess> orchestrator) {
    this.world = world;
    this.machines = machines;
    this.orchestrator = orchestrator;
    this.requests = world.diceFor(31);
  }

  /** Looks at the cluster from time to time, and acts as the documentation advises. */
  public void operate() {
    Plan plan = world.controlChecks().truth().plan();
    boolean isEnding = plan != null && endFailing(plan);
    if (!isEnding && plan != null && plan.phase() == Phase.HALTED) {
      long halt = plan.epoch() * 1_000 + plan.steps().halts();
      boolean isFirst = answeredHalts.add(halt);
      boolean canRetry = plan.reachMax() <= plan.target() && plan.steps().halts() < 3;
      if (isFirst && canRetry && world.dice().percent(50)) {
        orchestrator.get().say(Intervention.RETRY);
      } else {
        abandon();
      }
    }
    if (world.dice().percent(world.areFaultsOver() ? 30 : 5)) {
      orchestrator.get().acknowledge();
    }
    restartSkipped();
    answerRequests();
    world.time().in(world.dice().between(50_000, 200_000), this::operate);
  }

  private void restartSkipped() {
    for (CoverageLost skipped : world.controlChecks().coverage().skipped()) {
      NodeMachine machine = machines.get(skipped.getNode());
      NodeProcess process = machine.process();
      if (process != null && process.incarnation() == skipped.getIncarnation()) {
        machine.kill();
        machine.startIn(0);
      }
    }
  }

  /** Ends a plan that was abandoned and is halted again, or abandons one that waits. */
  private boolean endFailing(Plan plan) {
    FailingDuties duties = world.duties();
    boolean isHalted = plan.phase() == Phase.HALTED;
    boolean wasAbandoned = duties.wasAbandoned(plan.epoch());
    if (isHalted && wasAbandoned) {
      Set<Integer> stopped = duties.unableToEnd();
      for (int node : stopped) {
        NodeMachine machine = machines.get(node);
        machine.hold();
        duties.whenOver(machine::release);
      }
      orchestrator.get().endAsIs(stopped);
      return true;
    }
    if (!isHalted && !wasAbandoned && duties.isWaitTooLong()) {
      orchestrator.get().say(Intervention.ABANDON);
      return true;
    }
    return false;
  }

  /** Answers waiting requests, each at some later time. */
  private void answerRequests() {
    for (ApprovalRequest request : world.controlChecks().truth().gates().requests()) {
      if (requests.percent(world.areFaultsOver() ? 60 : 20)) {
        orchestrator.get().answer(request.number(), requests.percent(60));
      }
    }
  }

  /** Deletes the predicate if repeated abandons do not help. */
  private void abandon() {
    if (++abandoned > ABANDONED_MAX && world.areFaultsOver() && !predicateDeleted) {
      predicateDeleted = true;
      world.apply(PredicateVersion.after(world.predicate(), null, world.wallMicros()));
    }
    orchestrator.get().say(Intervention.ABANDON);
  }

  public boolean hasDeletedThePredicate() {
    return predicateDeleted;
  }
}
