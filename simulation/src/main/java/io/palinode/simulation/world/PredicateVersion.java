package io.palinode.simulation.world;

import io.palinode.detection.DetectionSpec;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.predicate.Predicate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record of the predicates' log: a version of the one predicate there is.
 *
 * @param predicate null: it is deleted
 * @param atMicros when it was applied, wall clock; 0: it was always there
 * @param since the first version after the last delete
 */
public record PredicateVersion(
    long version, @Nullable Predicate predicate, long atMicros, long since) {

  public static PredicateVersion first(Predicate predicate) {
    return new PredicateVersion(1, predicate, 0, 1);
  }

  /** The version after {@code known}, if there is one. */
  public static PredicateVersion after(
      @Nullable PredicateVersion known, @Nullable Predicate predicate, long atMicros) {
    if (known == null) {
      return new PredicateVersion(1, predicate, atMicros, 1);
    }
    long version = known.version() + 1;
    long since = known.predicate() == null ? version : known.since();
    return new PredicateVersion(version, predicate, atMicros, since);
  }

  /** What a node watches with it. */
  public List<ActivePredicate> watched() {
    return predicate == null
        ? List.of()
        : List.of(new ActivePredicate(WatchedMutex.NAME, version, predicate));
  }

  /** What the orchestrator makes of its violations. */
  public Policy policy() {
    return predicate == null
        ? Policy.deleted(WatchedMutex.NAME, version)
        : Policy.of(predicate, version).appliedAt(atMicros).rollingBackSince(since);
  }

  /** What the job looks for with it. */
  public io.palinode.monitor.instance.ActivePredicate detected(int nodes, Seams seams) {
    return predicate == null
        ? io.palinode.monitor.instance.ActivePredicate.deleted(WatchedMutex.NAME, version)
        : new io.palinode.monitor.instance.ActivePredicate(
            WatchedMutex.NAME,
            version,
            seams.detected(
                DetectionSpec.of(predicate, nodes, Epsilon.parse(Shape.EPSILON_MICROS + "us"))),
            Hlc.ofMicros(atMicros));
  }

  @Override
  public String toString() {
    return version + (predicate == null ? " deleted" : " " + predicate.onViolation());
  }
}
