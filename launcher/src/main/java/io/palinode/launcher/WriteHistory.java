package io.palinode.launcher;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.rest.past.DiscardedView;
import io.palinode.orchestrator.rest.past.RollbackSpan;
import io.palinode.voldemort.client.PastStore.Change;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The writes to one key, from the changes at all nodes, each listed once. What a rollback itself
 * changed is no write. For one thread.
 */
public final class WriteHistory {
  private final List<DiscardedView> rollbacks;
  private final Map<Id, Write> writes = new LinkedHashMap<>();

  /** What makes a write the same at two nodes. */
  private record Id(List<Versioned> added, List<Versioned> removed) {}

  /** What became of a write. */
  public enum State {
    /** A node has it at the end of the span. */
    PRESENT,
    /** Other writes or deletes superseded it everywhere. */
    REPLACED,
    /** A rollback discarded it. */
    UNDONE
  }

  /**
   * A write.
   *
   * @param hlc when the first of its nodes accepted it
   * @param epoch in which that was
   * @param value null: a delete
   * @param client empty if unknown
   * @param undoneBy the epoch that the rollback opened; null: none discarded it
   */
  public record Write(
      long hlc,
      long epoch,
      @Nullable String value,
      String client,
      TreeSet<Integer> nodes,
      State state,
      @Nullable Long undoneBy) {}

  private WriteHistory(List<DiscardedView> rollbacks) {
    this.rollbacks = rollbacks;
  }

  /**
   * In the order of time.
   *
   * @param changes by node, in the order of time
   * @param rollbacks all that are known
   */
  public static List<Write> of(Map<Integer, List<Change>> changes, List<RollbackSpan> rollbacks) {
    WriteHistory history = new WriteHistory(RollbackSpan.discarded(rollbacks));
    long epochBefore = RollbackSpan.epochBefore(rollbacks);
    changes.forEach((node, ofNode) -> history.add(node, ofNode, epochBefore));
    return history.writes.values().stream().sorted(Comparator.comparingLong(Write::hlc)).toList();
  }

  private void add(int node, List<Change> changes, long epochBefore) {
    for (int i = 0; i < changes.size(); i++) {
      Change change = changes.get(i);
      if (isOfARollback(change.hlc())) {
        continue;
      }
      List<Versioned> added = without(change.after(), change.before());
      List<Versioned> removed =
          added.isEmpty() ? without(change.before(), change.after()) : List.of();
      Long undoneBy = undoneBy(changes, i, added, removed);
      Versioned value = Siblings.resolve(added);
      writes.merge(
          new Id(added, removed),
          new Write(
              change.hlc(),
              epoch(change.hlc(), epochBefore),
              value == null ? null : value.text(),
              change.client(),
              new TreeSet<>(List.of(node)),
              state(changes, added, removed, undoneBy),
              undoneBy),
          WriteHistory::both);
    }
  }

  /** Between the last span and its end, a rollback alone changes keys. */
  private boolean isOfARollback(long hlc) {
    return rollbacks.stream()
        .anyMatch(rollback -> lastTo(rollback) < hlc && hlc <= Hlc.parse(rollback.settled()));
  }

  private static long lastTo(DiscardedView rollback) {
    return rollback.spans().stream()
        .mapToLong(span -> Hlc.parse(span.to()))
        .max()
        .orElse(Long.MAX_VALUE);
  }

  private long epoch(long hlc, long epochBefore) {
    return rollbacks.stream()
        .filter(rollback -> Hlc.parse(rollback.settled()) <= hlc)
        .mapToLong(DiscardedView::epoch)
        .max()
        .orElse(epochBefore);
  }

  /** The first rollback in whose span the change is, and after which it was gone. */
  private @Nullable Long undoneBy(
      List<Change> changes, int index, List<Versioned> added, List<Versioned> removed) {
    long hlc = changes.get(index).hlc();
    for (DiscardedView rollback : rollbacks) {
      boolean isInSpan =
          rollback.spans().stream()
              .anyMatch(span -> Hlc.parse(span.from()) < hlc && hlc <= Hlc.parse(span.to()));
      if (isInSpan && isGone(added, removed, at(changes, Hlc.parse(rollback.settled())))) {
        return rollback.epoch();
      }
    }
    return null;
  }

  private static State state(
      List<Change> changes,
      List<Versioned> added,
      List<Versioned> removed,
      @Nullable Long undoneBy) {
    if (!isGone(added, removed, at(changes, Long.MAX_VALUE))) {
      return State.PRESENT;
    }
    return undoneBy == null ? State.REPLACED : State.UNDONE;
  }

  private static boolean isGone(
      List<Versioned> added, List<Versioned> removed, List<Versioned> then) {
    return added.isEmpty()
        ? removed.stream().anyMatch(then::contains) || !then.isEmpty()
        : added.stream().noneMatch(then::contains);
  }

  /** What the node had at that time, which is not before the first change. */
  private static List<Versioned> at(List<Change> changes, long hlc) {
    return changes.stream()
        .filter(change -> change.hlc() <= hlc)
        .reduce((first, second) -> second)
        .map(Change::after)
        .orElse(List.of());
  }

  private static Write both(Write a, Write b) {
    Write first = a.hlc() <= b.hlc() ? a : b;
    TreeSet<Integer> nodes = new TreeSet<>(a.nodes());
    nodes.addAll(b.nodes());
    return new Write(
        first.hlc(),
        first.epoch(),
        first.value(),
        a.client().isEmpty() ? b.client() : a.client(),
        nodes,
        a.state().compareTo(b.state()) <= 0 ? a.state() : b.state(),
        a.undoneBy() == null ? b.undoneBy() : a.undoneBy());
  }

  private static List<Versioned> without(List<Versioned> some, List<Versioned> others) {
    List<Versioned> left = new ArrayList<>(some);
    left.removeAll(others);
    return left;
  }
}
