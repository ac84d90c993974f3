package io.palinode.simulation;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.Plan;
import io.palinode.simulation.client.ClientProcess;
import io.palinode.simulation.environment.NodeClock;
import io.palinode.simulation.node.NodeMachine;
import io.palinode.simulation.node.NodeProcess;
import io.palinode.simulation.world.Texts;
import io.palinode.simulation.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether a cluster has recovered once its faults are over. */
final class CalmCheck {
  private final Cluster cluster;
  private final World world;

  CalmCheck(Cluster cluster) {
    this.cluster = cluster;
    this.world = cluster.world();
  }

  /** Empty once all parts work and no step is left. */
  String missing(long since) {
    long epoch = world.controlChecks().truth().epoch();
    List<String> missing = new ArrayList<>();
    Plan plan = world.controlChecks().truth().plan();
    if (plan != null) {
      missing.add("plan " + plan.epoch() + " is " + plan.phase() + " " + plan.failure());
    }
    for (NodeMachine machine : cluster.machines()) {
      NodeProcess process = machine.process();
      if (process == null || !process.isWell() || process.servedEpoch() != epoch) {
        missing.add(
            "node "
                + machine.id()
                + (process == null ? " is down" : " serves " + process.servedEpoch()));
      }
    }
    for (int client = 0; client < cluster.clients().size(); client++) {
      if (cluster.clients().get(client).lastDoneMicros() < since) {
        missing.add("client " + client + " gets nothing done");
      }
    }
    if (!cluster.orchestrator().isSettled()) {
      missing.add("orchestrator " + cluster.orchestrator().state().found());
    }
    long calm = Hlc.ofMicros(NodeClock.EPOCH_MICROS + since);
    if (world.controlChecks().truth().safePoint() < calm && !cluster.isPredicateDeleted()) {
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
      world.requireHolds(key, "in the end");
    }
    world.clientChecks().requireOldReads(world.controlChecks(), world.model());
    world.clientChecks().requireKept(world.controlChecks(), world.model(), world::stored);
    Map<Integer, Long> epochs = new HashMap<>();
    for (ClientProcess client : cluster.clients()) {
      epochs.put(client.number(), client.epoch());
    }
    world.clientChecks().requireNotices(world.controlChecks(), epochs);
    world.detection().requireSound();
    world.detection().requireCovering(world.controlChecks());
  }
}
