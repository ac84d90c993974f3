package io.palinode.simulation;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.request.Intervention;
import io.palinode.orchestrator.violations.ApprovalRequest;
import io.palinode.wire.plan.Phase;
import java.util.HashSet;
import java.util.Set;

/** An operator who answers halts and requests, and acknowledges coverage gaps. */
final class Operator {
  private static final int ABANDONED_MAX = 4;

  private final World world;

  /** Only for requests, so that it changes no run without requests. */
  private final Dice requests;

  private final Set<Long> answeredHalts = new HashSet<>();
  private int abandoned;
  private boolean predicateDeleted;

  Operator(World world, Dice requests) {
    this.world = world;
    this.requests = requests;
  }

  /** Looks at the cluster from time to time, and acts as the documentation advises. */
  void operate() {
    Plan plan = world.controlChecks().truth().plan();
    boolean isEnding = plan != null && world.duties().operate(plan, world.orchestrator());
    if (!isEnding && plan != null && plan.phase() == Phase.HALTED) {
      long halt = plan.epoch() * 1_000 + plan.steps().halts();
      boolean isFirst = answeredHalts.add(halt);
      boolean canRetry = plan.reachMax() <= plan.target() && plan.steps().halts() < 3;
      if (isFirst && canRetry && world.dice().percent(50)) {
        world.orchestrator().say(Intervention.RETRY);
      } else {
        abandon();
      }
    }
    if (world.dice().percent(world.areFaultsOver() ? 30 : 5)) {
      world.orchestrator().acknowledge();
    }
    answerRequests();
    world.time().in(world.dice().between(50_000, 200_000), this::operate);
  }

  /** Answers waiting requests, each at some later time. */
  private void answerRequests() {
    for (ApprovalRequest request : world.controlChecks().truth().gates().requests()) {
      if (requests.percent(world.areFaultsOver() ? 60 : 20)) {
        world.orchestrator().answer(request.number(), requests.percent(60));
      }
    }
  }

  /** Deletes the predicate if repeated abandons do not help. */
  private void abandon() {
    if (++abandoned > ABANDONED_MAX && world.areFaultsOver() && !predicateDeleted) {
      predicateDeleted = true;
      world.apply(
          PredicateVersion.after(
              world.predicate(), null, NodeClock.EPOCH_MICROS + world.time().nowMicros()));
    }
    world.orchestrator().say(Intervention.ABANDON);
  }

  boolean hasDeletedThePredicate() {
    return predicateDeleted;
  }
}
