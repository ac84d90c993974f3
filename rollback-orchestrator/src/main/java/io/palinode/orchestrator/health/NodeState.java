package io.palinode.orchestrator.health;

import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.Unrestorable;
import io.palinode.wire.plan.Phase;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a node does, as an operator sees it. Immutable.
 *
 * @param node what the control log has of it
 * @param sinceMicros when its wait began, wall clock; null: it waits for nothing
 * @param why what is wrong and the way out; null: it waits for nothing, and can do all rollbacks
 */
public record NodeState(
    NodeStatus node, Word word, @Nullable Long sinceMicros, @Nullable String why) {
  /** The worst is the last one. */
  public enum Word {
    /** It serves the epoch in force, and judgement does not wait for it. */
    SERVES,
    /** Judgement waits for it since a short time. */
    LATE,
    /** It does not serve the epoch of the last rollback yet. */
    RESUMING,
    /** A rollback is open. */
    IN_ROLLBACK,
    /** The open rollback is halted, so it refuses all requests. */
    HALTED,
    /** Judgement waits for it, for too long. */
    STANDS_STILL,
    /** Its agent has turned itself off, so its writes are not judged until a restart. */
    AGENT_OFF,
    /** It lacks data that other replicas have, so it serves no client. */
    AWAITS_REPAIR,
    /** No record of it is in the control log. */
    NEVER_JOINED;

    /** The name in tables and in the API. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Whether an operator must act. */
    public boolean needsOperator() {
      return compareTo(HALTED) >= 0;
    }
  }

  /** Of every node, also of those that have never joined. Pure. */
  public static List<NodeState> all(List<NodeStatus> joined, Status status, Judgement judgement) {
    Map<Integer, NodeStatus> known = new HashMap<>();
    joined.forEach(node -> known.put(node.node(), node));
    return IntStream.range(0, status.nodes())
        .mapToObj(node -> of(node, known.get(node), status, judgement))
        .toList();
  }

  private static NodeState of(
      int node, @Nullable NodeStatus joined, Status status, Judgement judgement) {
    Wait wait =
        judgement.waits().stream()
            .filter(each -> Objects.equals(each.node(), node))
            .findFirst()
            .orElse(null);
    return new NodeState(
        joined == null ? NodeStatus.unknown(node) : joined,
        joined == null ? Word.NEVER_JOINED : word(node, status, wait, judgement.atMicros()),
        wait == null ? null : wait.sinceMicros(),
        wait == null ? cannotRestore(node, status) : wait.whatOfNode() + "; " + wait.wayOut());
  }

  private static @Nullable String cannotRestore(int node, Status status) {
    return status.unrestorable().stream()
        .filter(each -> each.node() == node)
        .findFirst()
        .map(Unrestorable::text)
        .orElse(null);
  }

  private static Word word(int node, Status status, @Nullable Wait wait, long nowMicros) {
    if (wait != null && wait.reason() == Wait.Reason.AGENT) {
      return Word.AGENT_OFF;
    }
    if (wait != null && wait.reason() == Wait.Reason.REPAIR) {
      return Word.AWAITS_REPAIR;
    }
    if (wait != null && wait.standsStill(nowMicros)) {
      return Word.STANDS_STILL;
    }
    if (status.phase() != null) {
      return status.phase() == Phase.HALTED ? Word.HALTED : Word.IN_ROLLBACK;
    }
    if (status.serving().missing().contains(node)) {
      return Word.RESUMING;
    }
    return wait == null ? Word.SERVES : Word.LATE;
  }
}
