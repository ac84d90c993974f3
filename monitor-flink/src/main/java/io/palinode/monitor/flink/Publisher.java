package io.palinode.monitor.flink;

import io.palinode.detection.Witness;
import io.palinode.monitor.ActivePredicate;
import io.palinode.monitor.Instance;
import io.palinode.monitor.InstanceKey;
import io.palinode.monitor.Violations;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Violation;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.Collector;

/** Makes violations of witnesses, and counts; reads the wall clock for their time of detection. */
final class Publisher {
  private final Counter violations;
  private final Counter overflows;

  Publisher(MetricGroup metrics) {
    this.violations = metrics.counter("violations");
    this.overflows = metrics.counter("detectionOverflows");
  }

  void publish(
      String key,
      ActivePredicate predicate,
      Instance instance,
      List<Witness> found,
      Collector<Verdict> out) {
    overflows.inc(instance.overflowed());
    if (found.isEmpty()) {
      return;
    }
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
      Violation violation = Violations.of(interval, instance.epoch(), witness, nowMicros);
      latest.put(violation.getId(), violation);
    }
    latest.values().forEach(violation -> out.collect(Verdict.of(violation)));
    violations.inc(latest.size());
  }
}
