package io.palinode.store.control;

import io.palinode.hvc.Hlc;
import io.palinode.store.affected.Access;
import io.palinode.store.affected.Access.Kind;
import io.palinode.store.affected.Affected;
import io.palinode.store.affected.Closure;
import io.palinode.store.affected.Everything;
import io.palinode.store.affected.Extent;
import io.palinode.store.affected.Question;
import io.palinode.store.affected.Question.Moment;
import io.palinode.store.affected.Trace;
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

/** Access logs of nodes as the control log holds them, and the extent that follows from them. */
public final class LoggedAccesses {
  /** Some 25 bytes each: far less than a piece. */
  private static final int TOGETHER_MAX = 1_000;

  private LoggedAccesses() {}

  /** The messages of an access log, by clients. */
  public static List<ClientAccesses> byClient(Trace trace) {
    List<ClientAccesses> messages = new ArrayList<>();
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
        messages.add(some.build());
        begun.remove(access.client());
      }
    }
    begun.values().forEach(some -> messages.add(some.build()));
    return messages;
  }

  /**
   * The writes to be undone. Depends on these records alone, not on their order.
   *
   * @param published the records of all nodes
   */
  public static Extent extent(Restore asked, List<Accessed> published) {
    Scope scope = asked.getAffected();
    Everything unknown = unknown(asked.getTarget(), scope, published);
    if (unknown != null) {
      return unknown;
    }
    if (scope.getWitnessesCount() == 0) {
      return new Everything("no witness is named");
    }
    return Closure.of(question(asked.getTarget(), scope), traces(published));
  }

  /** The answer if an access log is too long or does not reach the target; else null. */
  static @Nullable Everything unknown(long target, Scope scope, List<Accessed> published) {
    for (Accessed piece : published) {
      if (piece.getTooMany() != 0) {
        return new Everything(
            "the access log of node %d has %d accesses after %s, limit %d"
                .formatted(
                    piece.getNode(),
                    piece.getTooMany(),
                    Hlc.format(target),
                    scope.getAccessesMax()));
      }
    }
    return Closure.unnoted(target, traces(published));
  }

  /**
   * The first write of each of these keys after the target, at the node that accepted it first; of
   * keys that were not written since, none.
   */
  static Map<Long, Moment> firstWrites(long target, List<Accessed> published, Set<Long> keys) {
    Map<Long, Moment> first = new TreeMap<>();
    for (Trace trace : traces(published)) {
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
   * The keys with a write after the target that stands, even if a later one does not.
   *
   * @param published the records of all nodes
   */
  static Set<Long> stood(Restore asked, List<Accessed> published, Affected extent) {
    Set<Access> undone = new HashSet<>();
    List<Access> after = new ArrayList<>();
    for (Trace trace : traces(published)) {
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

  /** The identity of a write and its copies. */
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
   * The access logs of all nodes. If an incarnation ended while it published its log, the records
   * of the next one also count, with the later begin.
   */
  public static List<Trace> traces(List<Accessed> published) {
    Map<Integer, Long> since = new TreeMap<>();
    Map<Integer, List<Access>> accesses = new HashMap<>();
    for (Accessed piece : published) {
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

  /** An unknown kind of a later release counts as a write, the strongest kind. */
  private static Kind kind(AccessKind kind) {
    return switch (kind) {
      case ACCESS_KIND_READ -> Kind.READ;
      case ACCESS_KIND_COPY -> Kind.COPY;
      case ACCESS_KIND_WRITE, ACCESS_KIND_UNSPECIFIED, UNRECOGNIZED -> Kind.WRITE;
    };
  }
}
