package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.TruthOracle;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.control.SimulatedCluster.Node;
import io.palinode.wire.v1.ControlRecord;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Compares the nodes of a {@link SimulatedCluster} with their records at the target. */
final class ClusterCheck {
  private final SimulatedCluster cluster;

  ClusterCheck(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  /** All replicas hold the join of their records at the target; detectors agree with it. */
  void check(long epoch) {
    Map<StoreKey, Set<Version>> expected = joined(cluster.atTarget());
    for (Node node : cluster.nodes) {
      assertThat(node.store().isServing()).isTrue();
      assertThat(node.store().epoch()).isEqualTo(epoch);
      assertThat(node.store().clock().last().own()).isGreaterThan(cluster.clockOf(epoch));
      assertThat(asSets(node.store().state())).isEqualTo(expected);
      assertThat(node.openInEpoch(epoch))
          .containsExactlyInAnyOrderElementsOf(
              TruthOracle.holding(SimulatedCluster.ACTIVE, node.store().state()));
      assertThat(node.detector().failures()).isZero();
      checkHalfUndone(node.rollbacks());
    }
  }

  /** No node knows a time as whole that lies between two changes of one rollback, on any node. */
  private void checkHalfUndone(RollbackTimes known) {
    for (Node node : cluster.nodes) {
      for (long repaired : node.disk.repairs()) {
        assertThat(known.spans())
            .as("a change of a rollback at %d", repaired)
            .anyMatch(span -> span.after() < repaired && repaired <= span.before());
      }
    }
    for (long[] plan : cluster.discarded()) {
      known.requireWhole(plan[1]);
    }
  }

  private static Map<StoreKey, Set<Version>> joined(List<Map<StoreKey, List<Version>>> states) {
    Map<StoreKey, List<Version>> joined = new LinkedHashMap<>();
    for (Map<StoreKey, List<Version>> state : states) {
      state.forEach(
          (key, siblings) ->
              siblings.forEach(
                  version -> {
                    List<Version> known = joined.getOrDefault(key, List.of());
                    List<Version> added = MemoryBinding.added(known, version);
                    joined.put(key, added == null ? known : added);
                  }));
    }
    return asSets(joined);
  }

  private static Map<StoreKey, Set<Version>> asSets(Map<StoreKey, List<Version>> state) {
    Map<StoreKey, Set<Version>> sets = new LinkedHashMap<>();
    state.forEach((key, siblings) -> sets.put(key, new HashSet<>(siblings)));
    return sets;
  }

  /** The holding terms in a node's last complete acknowledgement of the attempt. */
  Set<String> acknowledgedHolding(long epoch, int attempt, int node) {
    Set<String> holding = new TreeSet<>();
    for (ControlRecord record : cluster.log) {
      if (record.getEpoch() == epoch
          && record.hasConverged()
          && record.getConverged().getAttempt() == attempt
          && record.getConverged().getNode() == node) {
        record
            .getConverged()
            .getHoldingList()
            .forEach(
                ref ->
                    holding.add(
                        "%s v%d %d.%d %s"
                            .formatted(
                                ref.getPredicate(),
                                ref.getPredicateVersion(),
                                ref.getClause(),
                                ref.getTerm(),
                                ref.getBinding())));
      }
    }
    return holding;
  }

  /** The terms that hold at a node, by the oracle. */
  static Set<String> oracleHolding(Node node) {
    Set<String> holding = new TreeSet<>();
    for (String name : TruthOracle.holding(SimulatedCluster.ACTIVE, node.store().state())) {
      // Without key and version, which come last.
      holding.add(name.substring(0, name.lastIndexOf(' ')));
    }
    return holding;
  }
}
