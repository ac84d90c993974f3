package io.palinode.orchestrator.health;

import io.palinode.orchestrator.policy.RollbackSettings;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One cause that judgement of the present waits for. Immutable.
 *
 * @param node the store node concerned; null: no single node
 * @param sinceMicros when the wait began, wall clock
 * @param what one clause, without a full stop
 * @param wayOut one clause: what an operator can do
 */
public record Wait(
    Reason reason, @Nullable Integer node, long sinceMicros, String what, String wayOut) {
  /** A longer wait is alerted. A wait for one ε is alerted at once. */
  public static final Duration STANDS_STILL = Duration.ofSeconds(5);

  /** The cause of a wait. */
  public enum Reason {
    /** Kafka does not answer the orchestrator. */
    KAFKA,
    /** The detection job publishes nothing. */
    JOB,
    /** A part of this process has failed. */
    PART,
    /** The clock of the orchestrator's machine was set back. */
    CLOCK,
    /** Parts run with different ε. Judgement continues, and may be wrong. */
    EPSILON,
    /** The job reads no new record of a node. */
    NODE,
    /** A node's disk refuses its clock promise. */
    DISK,
    /** A node's agent has turned itself off. */
    AGENT,
    /** A node lacks data, so it serves no client. Judgement continues. */
    REPAIR,
    /** A candidate waits for its predicate's version. */
    PREDICATE,
    /** A plan is open. */
    PLAN,
    /** Violations wait for their predicate, or for a plan. */
    VIOLATION,
    /** A rollback waits for an operator's approval. */
    APPROVAL,
    /** A coverage gap holds the safe point. */
    COVERAGE,
    /** An abandoned plan holds the safe point. */
    ABANDONED;

    /** The name in the API and in the metric's label. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the wait concerns one node. */
    public boolean isOfNode() {
      return this == NODE || this == DISK || this == AGENT || this == REPAIR;
    }

    /** Whether no verdict can be relied on during the wait: there is none, or it may be wrong. */
    public boolean spoilsAll() {
      return this == KAFKA || this == JOB || this == PART || this == CLOCK || this == EPSILON;
    }

    /** Whether the wait needs its own alert. All others are alerted when they begin. */
    public boolean needsAlert() {
      return spoilsAll() || isOfNode() || this == PREDICATE;
    }
  }

  /** {@link #what} for a place that names the node already. */
  String whatOfNode() {
    String head = "node " + node + " ";
    return what.startsWith(head) ? what.substring(head.length()) : what;
  }

  public long micros(long nowMicros) {
    return Math.max(0, nowMicros - sinceMicros);
  }

  /** A different ε does not change by itself, so it stands still from the start. */
  public boolean standsStill(long nowMicros) {
    return reason == Reason.EPSILON || micros(nowMicros) > RollbackSettings.micros(STANDS_STILL);
  }
}
