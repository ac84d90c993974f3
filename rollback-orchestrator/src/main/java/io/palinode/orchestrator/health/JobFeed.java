package io.palinode.orchestrator.health;

import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.ViolationRecord;
import org.jspecify.annotations.Nullable;

/**
 * The latest records of the detection job. Immutable.
 *
 * @param publishedMicros when it wrote its latest record, by its own wall clock; 0: never
 * @param receivedMicros when that record was received here, even if replayed
 * @param report the latest; null: none, as from a job of an earlier release
 */
public record JobFeed(long publishedMicros, long receivedMicros, @Nullable JudgementReport report) {
  /** More than the clocks of two machines may differ. */
  private static final long AHEAD_MICROS_MAX = 60_000_000;

  public static final JobFeed NONE = new JobFeed(0, 0, null);

  /**
   * After a record of the violations topic, written at {@code writtenMicros}. A report from the
   * future is ignored: it would hide nodes that are behind, or show all as behind.
   */
  public JobFeed after(ViolationRecord record, long writtenMicros, long nowMicros) {
    JudgementReport latest = report;
    if (record.getJudged().hasReport()) {
      JudgementReport candidate = record.getJudged().getReport();
      boolean credible = candidate.getAtMicros() - nowMicros <= AHEAD_MICROS_MAX;
      latest = credible ? candidate : report;
    }
    long published = Math.max(publishedMicros, Math.min(writtenMicros, nowMicros));
    return new JobFeed(published, nowMicros, latest);
  }
}
