package io.palinode.monitor.flink;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.ActivePredicate;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Instance;
import io.palinode.monitor.InstanceKey;
import io.palinode.monitor.Violations;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Violation;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.Collector;

/**
 * Makes violations of witnesses, and losses of limits that detection met, and counts both; reads
 * the wall clock for the violations' time of detection.
 */
final class Publisher {
  /**
   * A partition's overflows are told once in so much of its time: an instance at its limit meets it
   * with every event. Shorter than lost coverage holds the safe point.
   */
  private static final long OVERFLOW_TOLD_EVERY = Hlc.ofMicros(1_000_000);

  private final Counter overflows;

  /** By partition: up to which HLC overflows are told. */
  private final Map<Integer, Long> overflowTold = new HashMap<>();

  /** Likewise by predicate, node and partition: up to which HLC outdated events are told. */
  private final Map<String, Long> outdatedTold = new HashMap<>();

  private final PredicateMeters meters;

  private final DetectionSettings settings;

  Publisher(MetricGroup metrics, PredicateMeters meters, DetectionSettings settings) {
    this.meters = meters;
    this.settings = settings;
    this.overflows = metrics.counter("detectionOverflows");
  }

  void publish(
      String key,
      ActivePredicate predicate,
      Instance instance,
      List<Witness> found,
      Collector<Verdict> out) {
    if (found.isEmpty()) {
      return;
    }
    // Only what is in force is detected.
    Epsilon epsilon = Objects.requireNonNull(predicate.spec()).causality().epsilon();
    long nowMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    IntervalRef interval =
        IntervalRef.newBuilder()
            .setPredicate(predicate.name())
            .setPredicateVersion(predicate.version())
            .setBinding(InstanceKey.parse(key).binding())
            .build();
    // A grade may have risen since it was found a moment ago: the last word is enough.
    Map<String, Violation> latest = new LinkedHashMap<>();
    for (Witness witness : found) {
      Violation violation = Violations.of(interval, epsilon, instance.epoch(), witness, nowMicros);
      latest.put(violation.getId(), violation);
    }
    PredicateMeters.OfOne ofPredicate = meters.of(predicate.name());
    for (Violation violation : latest.values()) {
      out.collect(Verdict.of(violation));
      ofPredicate.violation(violation.getGrade());
    }
  }

  /**
   * Tells a limit that was met as lost coverage, up to {@code now}. Since when is not known: what
   * was dropped may have begun, and would have been part of a violation, at any time before. So the
   * safe point is held where it is.
   */
  void tellOverflow(String key, Instance instance, long now, Collector<Verdict> out) {
    Overflows met = instance.takeOverflows();
    if (met.total() > 0) {
      tellLimit(InstanceKey.parse(key), instance.partition(), met.total(), cause(met), now, out);
    }
  }

  /** Tells, as above, that {@code event} would begin an instance for which there is no room. */
  void tellTooManyInstances(CandidateEvent event, long now, Collector<Verdict> out) {
    String cause =
        "it has %,d instances, as many as a predicate may (--instances-max)"
            .formatted(settings.instancesMax());
    tellLimit(InstanceKey.parse(event.key()), event.partition(), 1, cause, now, out);
  }

  /**
   * Tells that the event's node does not look for the version in force yet: what it sees is lost
   * since that was applied. Once in a while for each node on each partition.
   */
  void tellOutdated(
      CandidateEvent event, ActivePredicate predicate, long watermark, Collector<Verdict> out) {
    meters.of(predicate.name()).coverageLost(1);
    long now = Math.max(event.hlc(), watermark);
    String late = predicate.name() + "|" + event.node() + "|" + event.partition();
    Long told = outdatedTold.get(late);
    if (told != null && now <= told + OVERFLOW_TOLD_EVERY) {
      return;
    }
    outdatedTold.put(late, now);
    CoverageLost loss =
        CoverageLost.newBuilder()
            .setNode(event.node())
            .setIncarnation(event.incarnation())
            .setPartition(event.partition())
            .setFromHlc(predicate.appliedHlc())
            .setToHlc(now)
            .setCause(
                "node %d does not look for version %d of %s yet"
                    .formatted(event.node(), predicate.version(), predicate.name()))
            .build();
    out.collect(Verdict.of(loss));
  }

  private void tellLimit(
      InstanceKey instance,
      int partition,
      long times,
      String cause,
      long now,
      Collector<Verdict> out) {
    overflows.inc(times);
    meters.of(instance.predicate()).coverageLost(times);
    Long told = overflowTold.get(partition);
    if (told != null && now <= told + OVERFLOW_TOLD_EVERY) {
      return;
    }
    overflowTold.put(partition, now);
    CoverageLost loss =
        CoverageLost.newBuilder()
            .setPartition(partition)
            .setToHlc(now)
            .setCause(
                "detection of %s%s met its limits: %s"
                    .formatted(
                        instance.predicate(),
                        instance.binding().isEmpty() ? "" : " with " + instance.binding(),
                        cause))
            .build();
    out.collect(Verdict.of(loss));
  }

  /** Each limit with its value, and the option that raises it. */
  private String cause(Overflows met) {
    DetectionLimits limits = settings.limits();
    List<String> causes = new ArrayList<>();
    if (met.intervals() > 0) {
      causes.add(
          "more than %,d intervals overlap or are open (--intervals-max)"
              .formatted(limits.intervalsMax()));
    }
    if (met.reports() > 0) {
      causes.add(
          "the grades of more than %,d reports may rise (--reports-max)"
              .formatted(limits.reportsMax()));
    }
    if (met.searches() > 0) {
      causes.add(
          "a search was cut short after %,d steps (--search-steps-max)"
              .formatted(limits.searchStepsMax()));
    }
    return String.join(", ", causes);
  }
}
