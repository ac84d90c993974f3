package io.palinode.orchestrator.request;

import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.plan.ExpectedPause;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.v1.EffectReported;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.OfReplicas;
import io.palinode.wire.v1.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The effect that a rollback would have, by the nodes' window-logs. Immutable. Nodes change nothing
 * to answer.
 *
 * @param target the HLC that the rollback would restore
 * @param safePoint the safe point promised to clients; a target before it breaks the promise
 * @param reports of each node that answered, in their order
 * @param missing nodes that did not answer in time
 * @param pauseMicros how long nodes are expected to serve no request
 * @param whyAll why all writes would be undone although only some were asked for; empty: as asked
 */
public record Effect(
    long target,
    long safePoint,
    List<EffectReported> reports,
    List<Integer> missing,
    long pauseMicros,
    String whyAll) {

  /**
   * From the reports of nodes and the latest rollbacks.
   *
   * @param waiting nodes that have not answered and do not only wait for others
   * @param latest rollbacks, latest first
   * @param whyAll why all writes would be undone, as far as the log decides it; empty: as asked
   */
  public static Effect of(
      long target,
      MachineState state,
      List<EffectReported> reports,
      List<Integer> waiting,
      List<Rollback> latest,
      String whyAll) {
    long copies = reports.stream().mapToLong(EffectReported::getWrites).sum();
    return new Effect(
        target,
        state.safePoint(),
        List.copyOf(reports),
        List.copyOf(waiting),
        ExpectedPause.of(latest).micros(copies),
        Stream.concat(Stream.of(whyAll), reports.stream().map(EffectReported::getAllBecause))
            .filter(why -> !why.isEmpty())
            .findFirst()
            .orElse(""));
  }

  /** Whether only writes that depend on the witnesses would be undone. */
  public boolean isOfSome() {
    return !witnesses().isEmpty() && reports.stream().allMatch(t -> t.getWitnessesCount() > 0);
  }

  /** The writes whose consequences would be undone; empty: all writes. */
  public Set<Moment> witnesses() {
    return reports.stream()
        .flatMap(node -> node.getWitnessesList().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Spans of the window-logs without countable writes of clients: discarded, or made by a plan.
   * Writes that a plan for some writes undid are in no span, since others beside them stand. They
   * count again.
   */
  public static List<Span> except(ControlLogState log, long target) {
    List<Span> spans = new ArrayList<>();
    for (PastPlan plan : log.plans().past()) {
      if (plan.clock() > target && !plan.undone()) {
        spans.add(
            Span.newBuilder()
                .setFrom(Math.max(target, plan.goneSince()))
                .setTo(plan.clock())
                .build());
      }
    }
    return spans;
  }

  /**
   * Writes of clients that would be discarded, each once, as most replicas of a key count them. So
   * neither a replica that missed writes changes that, nor one that received old ones late.
   */
  public long writes() {
    return once(EffectReported::getFirstWrites, OfReplicas::getWrites);
  }

  /** Keys that would get another value, as {@link #writes}. */
  public long keys() {
    return once(EffectReported::getFirstKeys, OfReplicas::getKeys);
  }

  private long once(ToLongFunction<EffectReported> first, ToLongFunction<OfReplicas> ofReplicas) {
    if (reports.stream().anyMatch(Effect::isWithoutReplicas)) {
      return reports.stream().mapToLong(first).sum();
    }
    Map<List<Integer>, List<Long>> counts = new HashMap<>();
    for (EffectReported node : reports) {
      for (OfReplicas part : node.getOfReplicasList()) {
        counts
            .computeIfAbsent(part.getNodesList(), replicas -> new ArrayList<>())
            .add(ofReplicas.applyAsLong(part));
      }
    }
    return counts.entrySet().stream().mapToLong(e -> median(e.getKey(), e.getValue())).sum();
  }

  /** The greater one of two; a replica that reports none has counted none. */
  private long median(List<Integer> replicas, List<Long> counts) {
    long answered = reports.stream().filter(node -> replicas.contains(node.getNode())).count();
    List<Long> falling = counts.stream().sorted(Comparator.reverseOrder()).toList();
    int middle = (int) (Math.max(answered, falling.size()) - 1) / 2;
    return middle < falling.size() ? falling.get(middle) : 0;
  }

  /** Of an earlier release, or of too many lists of replicas. */
  private static boolean isWithoutReplicas(EffectReported node) {
    return node.getOfReplicasCount() == 0 && (node.getWrites() > 0 || node.getKeys() > 0);
  }

  /** Bytes on all nodes, with copies. */
  public long bytes() {
    return reports.stream().mapToLong(EffectReported::getBytes).sum();
  }

  /** The clients whose writes would be discarded; incomplete if nodes named too many. */
  public Set<String> clients() {
    Set<String> clients = new TreeSet<>();
    reports.forEach(node -> clients.addAll(node.getClientsList()));
    return clients;
  }

  /** The least number of clients whose writes would be discarded. */
  public int clientsTotal() {
    int most = reports.stream().mapToInt(EffectReported::getClientsTotal).max().orElse(0);
    return Math.max(most, clients().size());
  }

  /** Why the amounts are not known, by the first such node; null: they are. */
  public @Nullable String unknown() {
    for (EffectReported node : reports) {
      if (node.getReach() > target) {
        return "%s is out of the reach of node %d: it is from %s to %s"
            .formatted(
                PointInTime.format(target),
                node.getNode(),
                PointInTime.format(node.getReach()),
                PointInTime.format(node.getNow()));
      }
      if (!node.getFailure().isEmpty()) {
        return "node %d cannot report its effect: %s".formatted(node.getNode(), node.getFailure());
      }
    }
    return null;
  }

  /** Whether the target breaks the promise of the safe point. */
  public boolean isBeforeSafePoint() {
    return target < safePoint;
  }

  /**
   * Refuses the rollback if some node cannot restore the target, or did not answer.
   *
   * @param bySnapshot the nodes restore a snapshot, so they need no window-log
   * @throws RefusedException with the node and the reason
   */
  public void requirePossible(boolean bySnapshot) throws RefusedException {
    String unknown = unknown();
    if (unknown != null && !bySnapshot) {
      throw new RefusedException(unknown);
    }
    if (!missing.isEmpty()) {
      throw new RefusedException(
          "nodes %s do not answer, and a rollback waits for all".formatted(missing));
    }
  }
}
