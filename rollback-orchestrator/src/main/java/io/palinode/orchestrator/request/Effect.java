package io.palinode.orchestrator.request;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.plan.ExpectedPause;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.v1.EffectTold;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a rollback would do, as the nodes' window-logs tell; nothing is changed to find out.
 *
 * @param target HLC that it would go back to
 * @param safePoint what clients were told is safe; a target before it breaks that word
 * @param told by each node that answered, in their order
 * @param missing nodes that did not answer in time
 * @param pauseMicros how long nodes are expected to serve nothing
 * @param whyAll why everything would be undone, though only what came of some writes was asked for;
 *     empty: it is as it was asked for
 */
public record Effect(
    long target,
    long safePoint,
    List<EffectTold> told,
    List<Integer> missing,
    long pauseMicros,
    String whyAll) {

  /**
   * From what nodes told, and what rollbacks took, the latest first.
   *
   * @param waiting nodes that have not answered, and do not only wait for others
   * @param whyAll likewise, without asking the nodes
   */
  public static Effect of(
      long target,
      MachineState state,
      List<EffectTold> told,
      List<Integer> waiting,
      List<Rollback> latest,
      String whyAll) {
    long copies = told.stream().mapToLong(EffectTold::getWrites).sum();
    return new Effect(
        target,
        state.safePoint(),
        List.copyOf(told),
        List.copyOf(waiting),
        ExpectedPause.of(latest).micros(copies),
        Stream.concat(Stream.of(whyAll), told.stream().map(EffectTold::getAllBecause))
            .filter(why -> !why.isEmpty())
            .findFirst()
            .orElse(""));
  }

  /** Only what came of some writes would be undone. */
  public boolean isOfSome() {
    return !witnesses().isEmpty() && told.stream().allMatch(t -> t.getWitnessesCount() > 0);
  }

  /** What came of these would be undone, as nodes know them; empty: everything. */
  public Set<Moment> witnesses() {
    return told.stream()
        .flatMap(node -> node.getWitnessesList().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Spans in which what the window-logs have is no client's write, or is gone already. What a plan
   * undid that undid only some is beside what stands, and in none of them: it counts once more.
   */
  public static List<Span> except(ControlLogState log, long target) {
    List<Span> spans = new ArrayList<>();
    for (PastPlan plan : log.past()) {
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

  /** Clients' writes that would be lost, each counted at its key's first replica. */
  public long writes() {
    return told.stream().mapToLong(EffectTold::getFirstWrites).sum();
  }

  /** Keys that would get another value, likewise. */
  public long keys() {
    return told.stream().mapToLong(EffectTold::getFirstKeys).sum();
  }

  /** On all nodes, copies included. */
  public long bytes() {
    return told.stream().mapToLong(EffectTold::getBytes).sum();
  }

  /** Who wrote what would be lost; not all of them when nodes have named too many. */
  public Set<String> clients() {
    Set<String> clients = new TreeSet<>();
    told.forEach(node -> clients.addAll(node.getClientsList()));
    return clients;
  }

  /** At least so many clients have written what would be lost. */
  public int clientsTotal() {
    int most = told.stream().mapToInt(EffectTold::getClientsTotal).max().orElse(0);
    return Math.max(most, clients().size());
  }

  /** Clients were told that nothing up to the safe point is taken back. */
  public boolean isBeforeSafePoint() {
    return target < safePoint;
  }

  /**
   * @throws RefusedException when some node cannot go back so far, or does not answer
   */
  public void requirePossible() throws RefusedException {
    for (EffectTold node : told) {
      if (node.getReach() > target) {
        throw new RefusedException(
            "%s is out of the reach of node %d: it is from %s to %s"
                .formatted(
                    Hlc.format(target),
                    node.getNode(),
                    Hlc.format(node.getReach()),
                    Hlc.format(node.getNow())));
      }
      if (!node.getFailure().isEmpty()) {
        throw new RefusedException(
            "node %d cannot tell: %s".formatted(node.getNode(), node.getFailure()));
      }
    }
    if (!missing.isEmpty()) {
      throw new RefusedException(
          "nodes %s do not answer, and a rollback waits for all".formatted(missing));
    }
  }
}
