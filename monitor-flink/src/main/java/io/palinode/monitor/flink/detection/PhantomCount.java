package io.palinode.monitor.flink.detection;

import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Phantoms;
import io.palinode.detection.Phantoms.Decided;
import io.palinode.detection.Witness;
import io.palinode.monitor.flink.Verdict;
import io.palinode.monitor.instance.Change;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.InstanceKey;
import io.palinode.monitor.instance.Violations;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Phantom;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.util.Collector;

/**
 * Publishes which violations under {@code replicas: any} are phantoms, for all instances of a
 * subtask. In no checkpoint: after a failure, undecided violations stay so.
 */
final class PhantomCount {
  /** Some 20 MB. */
  static final int VERSIONS_MAX = 50_000;

  static final int REPORTS_MAX = 50_000;

  private final Phantoms<Scope> phantoms = new Phantoms<>(VERSIONS_MAX, REPORTS_MAX);
  private final DetectionSettings settings;
  private final PredicateMeters meters;

  /** The instance of a version. */
  private record Scope(String key, long predicateVersion, long epoch) {}

  PhantomCount(DetectionSettings settings, PredicateMeters meters) {
    this.settings = settings;
    this.meters = meters;
  }

  /** Call before a candidate is applied, while the instance is live. */
  void observed(String key, Instance instance, DetectionSpec spec, Change change) {
    if (isShadowed(spec)) {
      instance.shadow(spec, settings.limits());
    }
    if (counts(spec)) {
      phantoms.observed(scope(key, instance), change.candidate());
    }
  }

  /**
   * Takes the published violations of an instance. Publishes the phantoms among them that can be
   * decided, and registers a timer for the others.
   */
  void take(
      String key,
      Instance instance,
      DetectionSpec spec,
      TimerService timers,
      Collector<Verdict> out) {
    for (Witness witness : instance.takeReported()) {
      if (!counts(spec)) {
        continue;
      }
      if (!phantoms.reported(scope(key, instance), spec.causality(), witness)) {
        meters.of(InstanceKey.parse(key).predicate()).phantomUndecided();
      } else if (witness.violate() > timers.currentWatermark()) {
        timers.registerEventTimeTimer(witness.violate());
      }
    }
    decide(timers.currentWatermark(), out);
  }

  /** Publishes the phantoms that can be decided now. */
  void decide(long watermark, Collector<Verdict> out) {
    for (Decided<Scope> decided : phantoms.passed(watermark)) {
      InstanceKey key = InstanceKey.parse(decided.scope().key());
      switch (decided.outcome()) {
        case REAL -> {}
        case UNKNOWN -> meters.of(key.predicate()).phantomUndecided();
        case PHANTOM -> out.collect(Verdict.of(phantom(key, decided)));
      }
    }
  }

  private static Phantom phantom(InstanceKey key, Decided<Scope> decided) {
    IntervalRef interval =
        IntervalRef.newBuilder()
            .setPredicate(key.predicate())
            .setPredicateVersion(decided.scope().predicateVersion())
            .setBinding(key.binding())
            .build();
    return Phantom.newBuilder()
        .setId(Violations.id(interval, decided.witness()))
        .setPredicate(key.predicate())
        .build();
  }

  /** Whether reports of {@code any} are worked out beside those of the predicate. */
  private boolean isShadowed(DetectionSpec spec) {
    return settings.phantomsShadowed() && spec.replicas() == ReplicaRule.FIRST;
  }

  /**
   * Terms on the same node, states, runs of several versions, and triggers are of one replica each:
   * nothing can be joined.
   */
  private boolean counts(DetectionSpec spec) {
    return isShadowed(spec)
        || (spec.replicas() == ReplicaRule.ANY
            && !spec.isOfStates()
            && !spec.lasts()
            && !spec.isWithin()
            && spec.clauses().stream().noneMatch(ClauseShape::hasGroups));
  }

  private static Scope scope(String key, Instance instance) {
    return new Scope(key, instance.predicateVersion(), instance.epoch());
  }
}
