package io.palinode.store.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.TruthOracle;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.store.control.SimulatedCluster.Node;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Restore;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
    return acknowledged(epoch, attempt, node).stream()
        .map(ClusterCheck::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private List<IntervalRef> acknowledged(long epoch, int attempt, int node) {
    return cluster.log.stream()
        .filter(record -> record.getEpoch() == epoch && record.hasConverged())
        .map(ControlRecord::getConverged)
        .filter(answer -> answer.getAttempt() == attempt && answer.getNode() == node)
        .flatMap(answer -> answer.getHoldingList().stream())
        .distinct()
        .toList();
  }

  private static String name(IntervalRef ref) {
    return "%s v%d %d.%d %s"
        .formatted(
            ref.getPredicate(),
            ref.getPredicateVersion(),
            ref.getClause(),
            ref.getTerm(),
            ref.getBinding());
  }

  /** Each acknowledged term names the HLC at which it became true on the node's own cut. */
  void checkSince(long epoch, int attempt, Node node) {
    Restore asked =
        cluster.log.stream()
            .filter(record -> record.getEpoch() == epoch && record.hasRestore())
            .map(ControlRecord::getRestore)
            .filter(restore -> restore.getAttempt() == attempt && restore.hasSinceFrom())
            .findFirst()
            .orElseThrow();
    for (IntervalRef ref : acknowledged(epoch, attempt, node.id)) {
      assertThat(ref.hasSince() ? ref.getSince() : null)
          .as("since when node %d has %s", node.id, name(ref))
          .isEqualTo(since(name(ref), asked, node));
    }
  }

  /** The latest change after {@code since_from} that made the term true; null: no change did. */
  private static @Nullable Long since(String name, Restore asked, Node node) {
    if (!oracleHolding(node.disk.stateAt(asked.getTarget())).contains(name)) {
      return null;
    }
    return node.disk.changes().stream()
        .filter(hlc -> asked.getSinceFrom() < hlc && hlc <= asked.getTarget())
        .filter(hlc -> !oracleHolding(node.disk.stateAt(hlc - 1)).contains(name))
        .max(Comparator.naturalOrder())
        .orElse(asked.getSinceFrom());
  }

  /** The terms that hold at a node, by the oracle. */
  static Set<String> oracleHolding(Node node) {
    return oracleHolding(node.store().state());
  }

  private static Set<String> oracleHolding(Map<StoreKey, List<Version>> state) {
    Set<String> holding = new TreeSet<>();
    for (String name : TruthOracle.holding(SimulatedCluster.ACTIVE, state)) {
      // Without key and version, which come last.
      holding.add(name.substring(0, name.lastIndexOf(' ')));
    }
    return holding;
  }
}
