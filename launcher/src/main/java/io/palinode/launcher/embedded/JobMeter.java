package io.palinode.launcher.embedded;

import static io.palinode.launcher.embedded.JobMeter.Kind.COUNTER;
import static io.palinode.launcher.embedded.JobMeter.Kind.GAUGE;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What of the detection job is in {@code /metrics}: its own counters, and a few of Flink's gauges.
 * The groups {@code predicate} and {@code grade} of the job become labels.
 */
enum JobMeter {
  CANDIDATES("candidates", COUNTER, "job.candidates", "Openings and closings that were applied"),
  REPEATED("candidatesRepeated", "repeated"),
  OUTDATED("candidatesOutdated", "outdated"),
  OF_OLD_EPOCH("candidatesOfOldEpoch", "old_epoch"),
  UNUSABLE("candidatesUnusable", "unusable"),
  MALFORMED("candidatesMalformed", "malformed"),
  PREDICATES_MALFORMED(
      "predicatesMalformed",
      COUNTER,
      "job.predicates.malformed",
      "Predicate records that were passed over"),
  COVERAGE_LOST(
      "coverageLost",
      COUNTER,
      "job.coverage.lost",
      "Candidates that could not be used, and limits that detection met"),
  OVERFLOWS("detectionOverflows", COUNTER, "job.overflows", "Limits that detection met"),
  PHANTOMS_UNDECIDED(
      "phantomsUndecided",
      COUNTER,
      "job.phantoms.undecided",
      "Reports that may be phantoms: their versions are not known"),
  VIOLATIONS("violations", COUNTER, "job.violations", "Reports, also of a grade that rose"),
  VIOLATIONS_CUT(
      "violationsCut",
      COUNTER,
      "job.violations.cut",
      "Reports that were too long for a record and were cut"),
  PENDING("pendingRecords", GAUGE, "job.lag.records", "Records in Kafka that the job has not read"),
  INSTANCES("instances", GAUGE, "job.instances", "Template instances that are kept"),
  RESTARTS("numRestarts", COUNTER, "job.restarts", "Restarts of the job after a failure"),
  CHECKPOINTS_FAILED(
      "numberOfFailedCheckpoints", COUNTER, "job.checkpoints.failed", "Checkpoints that failed"),
  CHECKPOINT_SECONDS(
      "lastCheckpointDuration", GAUGE, "job.checkpoint.seconds", "What the last checkpoint took"),
  CHECKPOINT_BYTES(
      "lastCheckpointFullSize", GAUGE, "job.checkpoint.bytes", "What the last checkpoint holds");

  /** A counter only grows. */
  enum Kind {
    COUNTER,
    GAUGE
  }

  private static final double MILLIS_PER_SECOND = 1_000;

  private static final Map<String, JobMeter> BY_FLINK_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(m -> m.flinkName, Function.identity()));

  private final String flinkName;
  private final Kind kind;
  private final String meterName;
  private final String what;

  /** Null for a meter that has no such label. */
  private final @Nullable String reason;

  JobMeter(String flinkName, Kind kind, String meterName, String what) {
    this(flinkName, kind, meterName, what, null);
  }

  /** Candidates that came to nothing, for {@code reason}. */
  JobMeter(String flinkName, String reason) {
    this(
        flinkName,
        COUNTER,
        "job.candidates.unused",
        "Candidates that came to nothing, by reason",
        reason);
  }

  JobMeter(String flinkName, Kind kind, String meterName, String what, @Nullable String reason) {
    this.flinkName = flinkName;
    this.kind = kind;
    this.meterName = "palinode." + meterName;
    this.what = what;
    this.reason = reason;
  }

  /** The one that Flink knows by this name; null for the many others. */
  static @Nullable JobMeter of(String flinkName) {
    return BY_FLINK_NAME.get(flinkName);
  }

  String flinkName() {
    return flinkName;
  }

  Kind kind() {
    return kind;
  }

  String meterName() {
    return meterName;
  }

  String what() {
    return what;
  }

  @Nullable String reason() {
    return reason;
  }

  /** In the meter's unit. Flink's gauges are negative before they have a value. */
  double scaled(double flinkValue) {
    double value = Math.max(0, flinkValue);
    return this == CHECKPOINT_SECONDS ? value / MILLIS_PER_SECOND : value;
  }
}
