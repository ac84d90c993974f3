package io.palinode.monitor.flink;

import io.palinode.detection.Witness;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.ActivePredicate;
import io.palinode.monitor.Instance;
import io.palinode.monitor.InstanceKey;
import io.palinode.monitor.Violations;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Violation;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

  private final PredicateMeters meters;

  Publisher(MetricGroup metrics, PredicateMeters meters) {
    this.meters = meters;
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
    long overflowed = instance.takeOverflowed();
    overflows.inc(overflowed);
    if (overflowed > 0) {
      meters.of(InstanceKey.parse(key).predicate()).coverageLost(overflowed);
    }
    Long told = overflowTold.get(instance.partition());
    if (overflowed == 0 || (told != null && now <= told + OVERFLOW_TOLD_EVERY)) {
      return;
    }
    overflowTold.put(instance.partition(), now);
    CoverageLost loss =
        CoverageLost.newBuilder()
            .setPartition(instance.partition())
            .setToHlc(now)
            .setCause(cause(InstanceKey.parse(key)))
            .build();
    out.collect(Verdict.of(loss));
  }

  private static String cause(InstanceKey instance) {
    return "detection of %s%s met its limits: more intervals overlap or are open than are kept, or a search had to be cut short"
        .formatted(
            instance.predicate(),
            instance.binding().isEmpty() ? "" : " with " + instance.binding());
  }
}
