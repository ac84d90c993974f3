package io.palinode.store.affected;

import io.palinode.hvc.PointInTime;
import io.palinode.store.affected.Access.Kind;
import io.palinode.store.affected.Question.Moment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The writes that depend on some writes, found in one pass over the access logs of all nodes in HLC
 * order: a cause always has the lesser HLC.
 *
 * <ul>
 *   <li>A write is undone if a witness began with it, if its client has read something that is
 *       undone, or if an earlier write of its key is undone.
 *   <li>A client that reads the key on a node with the write, or a copy of it, has read the write.
 *   <li>A client that read or wrote it is affected from then on.
 * </ul>
 *
 * Used once. O(n log n) in the accesses after the target.
 */
public final class Closure {
  private final Question question;
  private final List<Step> steps = new ArrayList<>();
  private final Set<Long> changedKeys = new HashSet<>();

  private final Set<Write> began = new HashSet<>();
  private final Set<Write> undone = new HashSet<>();
  private final Map<Long, Long> keysFrom = new HashMap<>();
  private final Map<String, Long> clientsFrom = new HashMap<>();
  private final Set<Place> shown = new HashSet<>();

  /** An access, and where. */
  private record Step(int node, Access access) {}

  /** The identity of a write and all its copies. */
  private record Write(long key, long write, String client) {
    static Write of(Access access) {
      return new Write(access.key(), access.write(), access.client());
    }

    /** The same write as a repair names it, without its writer. */
    Write ofAnyone() {
      return new Write(key, write, "");
    }
  }

  /** A replica of a key. */
  private record Place(int node, long key) {}

  private Closure(Question question) {
    this.question = question;
  }

  /**
   * @param traces of all nodes, one each, taken when they were paused
   */
  public static Extent of(Question question, List<Trace> traces) {
    Everything unnoted = unnoted(question.target(), traces);
    if (unnoted != null) {
      return unnoted;
    }
    Closure closure = new Closure(question);
    traces.forEach(closure::add);
    Moment unknown = closure.begin();
    if (unknown != null) {
      return new Everything(
          "the witness at node %d, %s, began with no write that is known to be first accepted after the target"
              .formatted(unknown.node(), PointInTime.format(unknown.hlc())));
    }
    closure.spread();
    return closure.extent();
  }

  /** The answer if an access log does not reach the target; else null. */
  public static @Nullable Everything unnoted(long target, List<Trace> traces) {
    for (Trace trace : traces) {
      if (trace.since() == Long.MAX_VALUE) {
        return new Everything("node %d has no access log".formatted(trace.node()));
      }
      if (trace.since() > target) {
        return new Everything(
            "node %d knows who used which keys only since %s, the target is %s"
                .formatted(
                    trace.node(), PointInTime.format(trace.since()), PointInTime.format(target)));
      }
    }
    return null;
  }

  private void add(Trace trace) {
    for (Access access : trace.accesses()) {
      if (access.hlc() > question.target()) {
        steps.add(new Step(trace.node(), access));
        if (access.kind() != Kind.READ) {
          changedKeys.add(access.key());
        }
      }
    }
  }

  /** Finds the witnesses' writes; a witness of which none is known, or null. */
  private @Nullable Moment begin() {
    Set<Write> accepted = new HashSet<>();
    Map<Moment, Write> byMoment = new HashMap<>();
    for (Step step : steps) {
      Access access = step.access();
      if (access.kind() != Kind.READ) {
        byMoment.put(new Moment(step.node(), access.hlc()), Write.of(access));
      }
      if (access.kind() == Kind.WRITE) {
        accepted.add(Write.of(access));
        accepted.add(Write.of(access).ofAnyone());
      }
    }
    for (Moment witness : question.witnesses()) {
      Write write = byMoment.get(witness);
      // If the write was accepted up to the target, its first acceptor would return this copy.
      if (write == null || !accepted.contains(write)) {
        return witness;
      }
      began.add(write);
    }
    return null;
  }

  private void spread() {
    steps.sort(
        Comparator.comparingLong((Step step) -> step.access().hlc()).thenComparingInt(Step::node));
    int from = 0;
    while (from < steps.size()) {
      int end = from + 1;
      while (end < steps.size() && hlc(end) == hlc(from)) {
        end++;
      }
      // Accesses of two nodes at one HLC do not depend on each other, but may be of one key.
      boolean more = true;
      while (more) {
        more = false;
        for (Step step : steps.subList(from, end)) {
          more |= take(step);
        }
      }
      from = end;
    }
  }

  private long hlc(int at) {
    return steps.get(at).access().hlc();
  }

  /** Returns whether another write is undone or read. */
  private boolean take(Step step) {
    Access access = step.access();
    Place place = new Place(step.node(), access.key());
    return switch (access.kind()) {
      case READ -> shown.contains(place) && affect(access);
      case WRITE -> isUndone(access) && undo(access, place);
      case COPY -> undone.contains(Write.of(access)) && shown.add(place);
    };
  }

  private boolean isUndone(Access write) {
    return began.contains(Write.of(write))
        || began.contains(Write.of(write).ofAnyone())
        || clientsFrom.getOrDefault(write.client(), Long.MAX_VALUE) < write.hlc()
        || keysFrom.containsKey(write.key());
  }

  private boolean undo(Access write, Place place) {
    boolean more = undone.add(Write.of(write));
    more |= undone.add(Write.of(write).ofAnyone());
    more |= keysFrom.putIfAbsent(write.key(), write.hlc()) == null;
    more |= shown.add(place);
    return affect(write) || more;
  }

  private boolean affect(Access access) {
    return clientsFrom.putIfAbsent(access.client(), access.hlc()) == null;
  }

  private Extent extent() {
    if (clientsFrom.containsKey("")) {
      return new Everything("a client without a name has read or written what would be undone");
    }
    if (clientsFrom.size() > question.clientsMax()) {
      return new Everything(
          "too many clients have read undone writes: %d, limit %d"
              .formatted(clientsFrom.size(), question.clientsMax()));
    }
    if (keysFrom.size() * 100L > (long) changedKeys.size() * question.percentMax()) {
      return new Everything(
          "%d of %d keys that changed would go back: more than %d %%"
              .formatted(keysFrom.size(), changedKeys.size(), question.percentMax()));
    }
    return new Affected(before(keysFrom), before(clientsFrom));
  }

  private static <K> Map<K, Long> before(Map<K, Long> times) {
    Map<K, Long> before = new HashMap<>();
    times.forEach((of, hlc) -> before.put(of, hlc - 1));
    return before;
  }
}
