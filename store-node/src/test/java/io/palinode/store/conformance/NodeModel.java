package io.palinode.store.conformance;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Every state that one node had, and when. Slow and obvious: it keeps them all. */
final class NodeModel {
  private final List<Moment> moments = new ArrayList<>();

  /** A delete that the node accepted first. */
  record Deleted(StoreKey key, byte[] mark) {}

  /** The versions of each key that has any, and the deletes that stand. */
  record State(Map<StoreKey, Set<Version>> records, List<Deleted> deletes) {
    static final State EMPTY = new State(Map.of(), List.of());

    Set<Version> of(StoreKey key) {
      return records.getOrDefault(key, Set.of());
    }

    State with(StoreKey key, Set<Version> versions) {
      Map<StoreKey, Set<Version>> next = new HashMap<>(records);
      next.put(key, versions);
      next.values().removeIf(Set::isEmpty);
      return new State(next, deletes);
    }

    State with(Deleted deleted) {
      List<Deleted> next = new ArrayList<>(deletes);
      next.add(deleted);
      return new State(records, next);
    }
  }

  /** One change of a key, as the window-log has it. */
  record Change(long hlc, Set<Version> before) {}

  /**
   * A state from {@code hlc} on.
   *
   * @param since of a step of a plan: when it began; no time between is readable
   * @param written the key that a write changed; null for other moments
   */
  private record Moment(long hlc, long since, State state, @Nullable StoreKey written) {
    boolean isStep() {
      return since != hlc;
    }
  }

  NodeModel(long openedAt) {
    moments.add(new Moment(openedAt, openedAt, State.EMPTY, null));
  }

  State now() {
    return moments.get(moments.size() - 1).state();
  }

  State at(long hlc) {
    State state = State.EMPTY;
    for (Moment moment : moments) {
      if (moment.hlc() <= hlc) {
        state = moment.state();
      }
    }
    return state;
  }

  /** A write that changed the record, or was a first delete that found nothing. */
  void wrote(long hlc, State next, @Nullable StoreKey changed) {
    moments.add(new Moment(hlc, hlc, next, changed));
  }

  /** A step of a plan between two readings of the clock. */
  void stepped(long since, long hlc, State next) {
    if (hlc > since) {
      moments.add(new Moment(hlc, since, next, null));
    }
  }

  /** The window-log begins at {@code reach} only. */
  void forgetBefore(long reach) {
    State now = now();
    moments.removeIf(moment -> moment.hlc() <= reach);
    moments.add(0, new Moment(reach, reach, now, null));
  }

  /** The times at which states began. */
  List<Long> times() {
    return moments.stream().map(Moment::hlc).toList();
  }

  /** Whether no step of a plan was half done then. */
  boolean isReadable(long hlc) {
    return moments.stream().noneMatch(each -> each.since() < hlc && hlc < each.hlc());
  }

  /** The writes after {@code hlc} that changed a key, by key. */
  Map<StoreKey, List<Change>> changesAfter(long hlc) {
    Map<StoreKey, List<Change>> changes = new LinkedHashMap<>();
    State before = State.EMPTY;
    for (Moment moment : moments) {
      StoreKey key = moment.written();
      if (key != null && moment.hlc() > hlc) {
        changes
            .computeIfAbsent(key, each -> new ArrayList<>())
            .add(new Change(moment.hlc(), before.of(key)));
      }
      before = moment.state();
    }
    return changes;
  }

  /** Whether a step of a plan may have logged a change then. */
  boolean isOfStep(long hlc) {
    return moments.stream()
        .anyMatch(each -> each.isStep() && each.since() < hlc && hlc <= each.hlc());
  }
}
