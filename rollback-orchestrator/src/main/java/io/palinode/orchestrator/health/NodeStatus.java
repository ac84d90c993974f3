package io.palinode.orchestrator.health;

import io.palinode.wire.v1.ControlRecord;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status of a node, from its records in the control log. Immutable.
 *
 * @param incarnation of its last join or pause
 * @param reach the earliest HLC that its window-log read at that time
 * @param watchedOnly why it cannot be restored; empty: it can
 * @param operationsNotJudged why it finds no lost updates and stale reads; empty: it does
 * @param version its release, from its reports; {@link Versions#UNKNOWN} without one
 * @param lastAck the kind of its last record, such as {@code restored}
 */
public record NodeStatus(
    int node,
    long incarnation,
    long joinedMicros,
    long reach,
    String watchedOnly,
    String operationsNotJudged,
    String version,
    String lastAck,
    long lastAckMicros) {
  /** Of a node without a record. */
  public static NodeStatus unknown(int node) {
    return new NodeStatus(node, 0, 0, 0, "", "", Versions.UNKNOWN, "", 0);
  }

  /** The status after a record of this node; {@code known} is null for its first record. */
  public static NodeStatus after(@Nullable NodeStatus known, int node, ControlRecord record) {
    long at = record.getAtMicros();
    long joined = record.hasNodeJoined() ? at : known == null ? 0 : known.joinedMicros;
    long incarnation = known == null ? 0 : known.incarnation;
    long reach = known == null ? 0 : known.reach;
    String watchedOnly = known == null ? "" : known.watchedOnly;
    String operationsNotJudged = known == null ? "" : known.operationsNotJudged;
    if (record.hasNodeJoined()) {
      watchedOnly = record.getNodeJoined().getWatchedOnly();
      operationsNotJudged = record.getNodeJoined().getOperationsNotJudged();
      incarnation = record.getNodeJoined().getIncarnation();
      reach = record.getNodeJoined().getReach();
    } else if (record.hasPaused()) {
      incarnation = record.getPaused().getIncarnation();
      reach = record.getPaused().getReach();
    }
    String ack = record.getStepCase().name().toLowerCase(Locale.ROOT);
    return new NodeStatus(
        node,
        incarnation,
        joined,
        reach,
        watchedOnly,
        operationsNotJudged,
        Versions.UNKNOWN,
        ack,
        at);
  }

  /** The same with the version of this node. */
  public NodeStatus with(Map<Integer, String> versions) {
    String known = versions.getOrDefault(node, Versions.UNKNOWN);
    return new NodeStatus(
        node,
        incarnation,
        joinedMicros,
        reach,
        watchedOnly,
        operationsNotJudged,
        known,
        lastAck,
        lastAckMicros);
  }
}
