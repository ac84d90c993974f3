package io.palinode.orchestrator.health;

import io.palinode.orchestrator.policy.RollbackSettings;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a verdict on the present waits for.
 *
 * @param node the store node that it is about; null: no single one
 * @param sinceMicros when it began, wall clock
 * @param what one clause, without a full stop
 * @param wayOut what an operator can do, likewise
 */
public record Wait(
    Reason reason, @Nullable Integer node, long sinceMicros, String what, String wayOut) {
  /** A wait that lasts longer stands still: people are alerted. */
  public static final Duration STANDS_STILL = Duration.ofSeconds(5);

  /** What is waited for. */
  public enum Reason {
    /** Kafka does not answer the orchestrator. */
    KAFKA,
    /** The detection job publishes nothing. */
    JOB,
    /** A part of this process has failed. */
    PART,
    /** The job reads nothing new of a node. */
    NODE,
    /** A node's disk refuses its clock promise. */
    DISK,
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

    /** As in the API and in the metric's label. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it is about one node. */
    public boolean isOfNode() {
      return this == NODE || this == DISK;
    }

    /** While it lasts, no violation at all is found or rolled back. */
    public boolean stopsAll() {
      return this == KAFKA || this == JOB || this == PART;
    }

    /** The others raise an alert of their own when they begin. */
    public boolean needsAlert() {
      return stopsAll() || isOfNode() || this == PREDICATE;
    }
  }

  public long micros(long nowMicros) {
    return Math.max(0, nowMicros - sinceMicros);
  }

  public boolean standsStill(long nowMicros) {
    return micros(nowMicros) > RollbackSettings.micros(STANDS_STILL);
  }
}
