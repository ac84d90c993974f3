package io.palinode.detector;

import io.palinode.detector.affected.Access;
import io.palinode.detector.affected.Access.Kind;
import io.palinode.detector.affected.Affected;
import io.palinode.detector.affected.Closure;
import io.palinode.detector.affected.Everything;
import io.palinode.detector.affected.Extent;
import io.palinode.detector.affected.Question;
import io.palinode.detector.affected.Question.Moment;
import io.palinode.detector.affected.Trace;
import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.AccessKind;
import io.palinode.wire.v1.Accessed;
import io.palinode.wire.v1.ClientAccesses;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Traces of nodes as the control log has them, and what follows from those of all nodes. */
final class LoggedAccesses {
  /** Some 25 bytes each: far less than a piece. */
  private static final int TOGETHER_MAX = 1_000;

  private LoggedAccesses() {}

  /** What is to be told of a trace, by clients. */
  static List<ClientAccesses> byClient(Trace trace) {
    List<ClientAccesses> told = new ArrayList<>();
    Map<String, ClientAccesses.Builder> begun = new LinkedHashMap<>();
    for (Access access : trace.accesses()) {
      ClientAccesses.Builder some =
          begun.computeIfAbsent(
              access.client(), client -> ClientAccesses.newBuilder().setClient(client));
      some.addKinds(kind(access.kind()))
          .addHlcs(access.hlc())
          .addKeys(access.key())
          .addWrites(access.write());
      if (some.getHlcsCount() == TOGETHER_MAX) {
        told.add(some.build());
        begun.remove(access.client());
      }
    }
    begun.values().forEach(some -> told.add(some.build()));
    return told;
  }

  /**
   * What is to be undone: it follows from these records alone, in whatever order they came.
   *
   * @param told by all nodes
   */
  static Extent extent(Restore asked, List<Accessed> told) {
    Scope scope = asked.getAffected();
    Everything unknown = unknown(asked.getTarget(), scope, told);
    if (unknown != null) {
      return unknown;
    }
    if (scope.getWitnessesCount() == 0) {
      return new Everything("no witness is named");
    }
    return Closure.of(question(asked.getTarget(), scope), traces(told));
  }

  /** What follows when nodes do not tell all that was done after the target; else null. */
  static @Nullable Everything unknown(long target, Scope scope, List<Accessed> told) {
    for (Accessed piece : told) {
      if (piece.getTooMany() != 0) {
        return new Everything(
            "node %d has noted %d accesses after %s: more than %d are not told"
                .formatted(
                    piece.getNode(),
                    piece.getTooMany(),
                    Hlc.format(target),
                    scope.getAccessesMax()));
      }
    }
    return Closure.unnoted(target, traces(told));
  }

  /**
   * The first write of each of these keys after the target, at the node that accepted it first; of
   * keys that were not written since, none.
   */
  static Map<Long, Moment> firstWrites(long target, List<Accessed> told, Set<Long> keys) {
    Map<Long, Moment> first = new TreeMap<>();
    for (Trace trace : traces(told)) {
      for (Access access : trace.accesses()) {
        if (access.kind() == Kind.WRITE && access.hlc() > target && keys.contains(access.key())) {
          first.merge(
              access.key(),
              new Moment(trace.node(), access.hlc()),
              (one, other) -> other.hlc() < one.hlc() ? other : one);
        }
      }
    }
    return first;
  }

  /**
   * The keys of which a write after the target stands, though a later one may not.
   *
   * @param told by all nodes
   */
  static Set<Long> stood(Restore asked, List<Accessed> told, Affected extent) {
    Set<Access> undone = new HashSet<>();
    List<Access> after = new ArrayList<>();
    for (Trace trace : traces(told)) {
      for (Access access : trace.accesses()) {
        if (access.hlc() > asked.getTarget() && access.kind() != Kind.READ) {
          after.add(access);
          Long cut = extent.keys().get(access.key());
          if (access.kind() == Kind.WRITE && cut != null && cut < access.hlc()) {
            undone.add(named(access));
          }
        }
      }
    }
    return after.stream()
        .filter(access -> !undone.contains(named(access)))
        .map(Access::key)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** What a write and its copies have in common. */
  private static Access named(Access write) {
    return new Access(Kind.WRITE, 0, write.key(), write.write(), write.client());
  }

  private static Question question(long target, Scope scope) {
    Set<Moment> witnesses = new LinkedHashSet<>();
    scope.getWitnessesList().forEach(at -> witnesses.add(new Moment(at.getNode(), at.getHlc())));
    return new Question(
        target,
        witnesses,
        Math.max(0, scope.getClientsMax()),
        Math.min(100, Math.max(0, scope.getPercentMax())));
  }

  /**
   * A node whose life ended while it told its trace is as one that knows only what it told last.
   */
  static List<Trace> traces(List<Accessed> told) {
    Map<Integer, Long> since = new TreeMap<>();
    Map<Integer, List<Access>> accesses = new HashMap<>();
    for (Accessed piece : told) {
      since.merge(piece.getNode(), piece.getSince(), Math::max);
      List<Access> here = accesses.computeIfAbsent(piece.getNode(), node -> new ArrayList<>());
      piece.getClientsList().forEach(some -> add(some, here));
    }
    List<Trace> traces = new ArrayList<>();
    since.forEach(
        (node, hlc) -> {
          List<Access> here = accesses.getOrDefault(node, List.of());
          here.sort(Comparator.comparingLong(Access::hlc));
          traces.add(new Trace(node, hlc, here));
        });
    return traces;
  }

  private static void add(ClientAccesses some, List<Access> to) {
    for (int i = 0; i < some.getHlcsCount(); i++) {
      to.add(
          new Access(
              kind(some.getKinds(i)),
              some.getHlcs(i),
              some.getKeys(i),
              some.getWrites(i),
              some.getClient()));
    }
  }

  private static AccessKind kind(Kind kind) {
    return switch (kind) {
      case READ -> AccessKind.ACCESS_KIND_READ;
      case WRITE -> AccessKind.ACCESS_KIND_WRITE;
      case COPY -> AccessKind.ACCESS_KIND_COPY;
    };
  }

  /** What a later release tells is taken for the most that it may be. */
  private static Kind kind(AccessKind told) {
    return switch (told) {
      case ACCESS_KIND_READ -> Kind.READ;
      case ACCESS_KIND_COPY -> Kind.COPY;
      case ACCESS_KIND_WRITE, ACCESS_KIND_UNSPECIFIED, UNRECOGNIZED -> Kind.WRITE;
    };
  }
}
