package io.palinode.monitor.flink.detection;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.Overflows;
import io.palinode.detection.Witness;
import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.flink.Verdict;
import io.palinode.monitor.instance.ActivePredicate;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.InstanceKey;
import io.palinode.monitor.instance.ViolationSize;
import io.palinode.monitor.instance.Violations;
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
 * Publishes violations, and a coverage gap for each limit that detection met; counts both. Reads
 * the wall clock for the time of detection.
 */
final class Publisher {
  /**
   * How far a gap reaches beyond its event. Events that are not judged come one by one: each is in
   * a gap, and there are few gaps. Shorter than the time for which a gap holds the safe point.
   */
  private static final long GAP_EVERY = Hlc.ofMicros(1_000_000);

  /** In the cause of a gap. */
  private static final int BINDING_CHARS_MAX = 256;

  private final Counter overflows;

  /** Violations that were too long for a record. */
  private final Counter violationsCut;

  /** By partition: the end of the last published gap. */
  private final Map<Integer, Long> overflowUpTo = new HashMap<>();

  /** By partition: the end of the last published gap of triggers. */
  private final Map<Integer, Long> unansweredUpTo = new HashMap<>();

  /** By predicate, node and partition: the end of the last gap of outdated events. */
  private final Map<String, Long> outdatedUpTo = new HashMap<>();

  private final PredicateMeters meters;

  private final DetectionSettings settings;

  Publisher(MetricGroup metrics, PredicateMeters meters, DetectionSettings settings) {
    this.meters = meters;
    this.settings = settings;
    this.overflows = metrics.counter("detectionOverflows");
    this.violationsCut = metrics.counter("violationsCut");
  }

  /** Publishes {@code found}, and what has ended of what the instance reported. */
  void publish(
      String key,
      ActivePredicate predicate,
      Instance instance,
      List<Witness> found,
      Collector<Verdict> out) {
    List<Ended> ended = instance.takeEnded();
    if (found.isEmpty() && ended.isEmpty()) {
      return;
    }
    IntervalRef interval =
        IntervalRef.newBuilder()
            .setPredicate(predicate.name())
            .setPredicateVersion(predicate.version())
            .setBinding(InstanceKey.parse(key).binding())
            .build();
    publish(interval, predicate, instance, found, out);
    for (Ended each : ended) {
      out.collect(Verdict.of(Violations.ended(interval, each)));
    }
  }

  private void publish(
      IntervalRef interval,
      ActivePredicate predicate,
      Instance instance,
      List<Witness> found,
      Collector<Verdict> out) {
    // Only what is in force is detected.
    DetectionSpec spec = Objects.requireNonNull(predicate.spec());
    long nowMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    // A grade may have risen since a moment ago: publish the last one.
    Map<String, Violation> latest = new LinkedHashMap<>();
    for (Witness witness : found) {
      Violation violation = Violations.of(interval, spec, instance.epoch(), witness, nowMicros);
      latest.put(violation.getId(), violation);
    }
    PredicateMeters.OfOne ofPredicate = meters.of(predicate.name());
    for (Violation violation : latest.values()) {
      if (violation.hasWholeBytes()) {
        violationsCut.inc();
      }
      if (ViolationSize.isTooLong(violation)) {
        publishTooLong(violation, instance.partition(), out);
      } else {
        out.collect(Verdict.of(violation));
        ofPredicate.violation(violation.getGrade());
      }
    }
  }

  /** A record that Kafka refuses would end the job, and each restart from its checkpoint. */
  private void publishTooLong(Violation violation, int partition, Collector<Verdict> out) {
    String cause =
        "a violation has %,d bytes without its values, and a record has room for %,d"
            .formatted(violation.getSerializedSize(), ViolationSize.BYTES_MAX);
    InstanceKey of = new InstanceKey(violation.getPredicate(), violation.getBinding());
    publishLimit(of, partition, 1, cause, violation.getViolate(), out);
  }

  /**
   * Publishes a gap for each limit that the instance met. The start of the gap is unknown, since
   * dropped intervals may have begun at any time. The safe point therefore stops.
   */
  void publishOverflow(String key, Instance instance, long now, Collector<Verdict> out) {
    Overflows met = instance.takeOverflows();
    if (met.triggers() > 0) {
      String cause =
          "may have missed answers: %,d triggers are not judged".formatted(met.triggers());
      publishUnanswered(key, instance.partition(), met.triggers(), cause, now, out);
    }
    long limits = met.total() - met.triggers();
    if (limits > 0) {
      publishLimit(InstanceKey.parse(key), instance.partition(), limits, cause(met), now, out);
    }
  }

  /** Publishes a gap for triggers of an instance of {@code within} that are no longer followed. */
  void publishUnjudged(String key, int partition, long now, Collector<Verdict> out) {
    String cause = "ended while triggers waited for answers: by a rollback, or by another version";
    publishUnanswered(key, partition, 1, cause, now, out);
  }

  private void publishUnanswered(
      String key, int partition, long times, String cause, long now, Collector<Verdict> out) {
    publishUnjudged(unansweredUpTo, InstanceKey.parse(key), partition, times, cause, now, out);
  }

  /** Publishes a gap for an opening for which the heap has no room. */
  void publishNoRoom(CandidateEvent event, long now, Collector<Verdict> out) {
    String cause =
        "the heap of the detection job has no room for %,d bytes (-Xmx)"
            .formatted(event.record().length);
    publishLimit(InstanceKey.parse(event.key()), event.partition(), 1, cause, now, out);
  }

  /** Publishes a gap for an event that would begin an instance above the limit. */
  void publishTooManyInstances(CandidateEvent event, long now, Collector<Verdict> out) {
    String cause =
        "it has %,d instances, as many as a predicate may (--instances-max)"
            .formatted(settings.instancesMax());
    publishLimit(InstanceKey.parse(event.key()), event.partition(), 1, cause, now, out);
  }

  /**
   * Publishes a gap for a node that does not watch the version in force yet. The gap starts when
   * that version was applied. It ends {@link #GAP_EVERY} after now.
   */
  void publishOutdated(
      CandidateEvent event, ActivePredicate predicate, long watermark, Collector<Verdict> out) {
    meters.of(predicate.name()).coverageLost(1);
    long now = Math.max(event.hlc(), watermark);
    String late = predicate.name() + "|" + event.node() + "|" + event.partition();
    Long published = outdatedUpTo.get(late);
    if (published != null && now <= published) {
      return;
    }
    long to = now + GAP_EVERY;
    outdatedUpTo.put(late, to);
    CoverageLost loss =
        CoverageLost.newBuilder()
            .setNode(event.node())
            .setIncarnation(event.incarnation())
            .setPartition(event.partition())
            .setFromHlc(predicate.appliedHlc())
            .setToHlc(to)
            .setCause(
                "node %d does not watch version %d of %s yet"
                    .formatted(event.node(), predicate.version(), predicate.name()))
            .build();
    out.collect(Verdict.of(loss));
  }

  private void publishLimit(
      InstanceKey instance,
      int partition,
      long times,
      String cause,
      long now,
      Collector<Verdict> out) {
    String met = "met its limits: " + cause;
    publishUnjudged(overflowUpTo, instance, partition, times, met, now, out);
  }

  /** Publishes a gap from before all events up to {@link #GAP_EVERY} after now. */
  private void publishUnjudged(
      Map<Integer, Long> upTo,
      InstanceKey instance,
      int partition,
      long times,
      String cause,
      long now,
      Collector<Verdict> out) {
    overflows.inc(times);
    meters.of(instance.predicate()).coverageLost(times);
    Long published = upTo.get(partition);
    if (published == null || now > published) {
      long to = now + GAP_EVERY;
      upTo.put(partition, to);
      out.collect(Verdict.of(gap(instance, partition, cause, to)));
    }
  }

  private static CoverageLost gap(InstanceKey instance, int partition, String cause, long to) {
    return CoverageLost.newBuilder()
        .setPartition(partition)
        .setToHlc(to)
        .setCause(
            "detection of %s%s %s"
                .formatted(
                    instance.predicate(),
                    instance.binding().isEmpty() ? "" : " with " + beginning(instance),
                    cause))
        .build();
  }

  /** A binding has parts of keys and values, which clients select. */
  private static String beginning(InstanceKey instance) {
    String binding = instance.binding();
    return binding.length() <= BINDING_CHARS_MAX
        ? binding
        : binding.substring(0, BINDING_CHARS_MAX) + "…";
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
