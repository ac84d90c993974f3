package io.palinode.simulation;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Plan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether a cluster has recovered once its faults are over. */
final class CalmCheck {
  private final World world;

  CalmCheck(World world) {
    this.world = world;
  }

  /** Empty once all parts work and no step is left. */
  String missing(long since) {
    long epoch = world.controlChecks().truth().epoch();
    List<String> missing = new ArrayList<>();
    Plan plan = world.controlChecks().truth().plan();
    if (plan != null) {
      missing.add("plan " + plan.epoch() + " is " + plan.phase() + " " + plan.failure());
    }
    for (NodeMachine machine : world.machines()) {
      NodeProcess process = machine.process();
      if (process == null || !process.isWell() || process.servedEpoch() != epoch) {
        missing.add(
            "node "
                + machine.id()
                + (process == null ? " is down" : " serves " + process.servedEpoch()));
      }
    }
    for (int client = 0; client < world.clients().size(); client++) {
      if (world.clients().get(client).lastDoneMicros() < since) {
        missing.add("client " + client + " gets nothing done");
      }
    }
    if (!world.orchestrator().isSettled()) {
      missing.add("orchestrator " + world.orchestrator().state().found());
    }
    long calm = Hlc.ofMicros(NodeClock.EPOCH_MICROS + since);
    if (world.controlChecks().truth().safePoint() < calm && !world.isPredicateDeleted()) {
      missing.add(
          "safe point "
              + Texts.time(world.controlChecks().truth().safePoint())
              + " judged "
              + Texts.time(world.detection().judged()));
    }
    return String.join("; ", missing);
  }

  /** Throws {@link io.palinode.simulation.check.BrokenInvariant} if the end of a run is wrong. */
  void requireEnd() {
    world.controlChecks().coverage().requireShown(world.controlChecks().truth());
    for (String key : world.model().keys()) {
      for (NodeMachine machine : world.machines()) {
        world.model().requireHolds(machine.id(), key, machine.stored(key), "in the end");
      }
    }
    world
        .clientChecks()
        .requireKept(
            world.controlChecks(), world.model(), (node, key) -> world.machine(node).stored(key));
    Map<Integer, Long> epochs = new HashMap<>();
    for (ClientProcess client : world.clients()) {
      epochs.put(client.calls().client(), client.calls().epoch());
    }
    world.clientChecks().requireNotices(world.controlChecks(), epochs);
    world.detection().requireSound();
    world.detection().requireCovering(world.controlChecks());
  }
}
