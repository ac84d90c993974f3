package io.palinode.monitor.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Epsilon;
import io.palinode.monitor.instance.ActivePredicate.Standing;
import io.palinode.predicate.ClauseShape;
import io.palinode.wire.v1.PredicateRecord;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ActivePredicateTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        replicas: any
        violation:
          - all:
              - {var: "x_{a}", equals: "1"}
              - {var: "y_{a}", equals: "1"}
        forEach: {edge: "{a}"}
      """;

  private final ActivePredicate active =
      ActivePredicate.of(record(2, false), 3, Epsilon.ofMicros(7));

  @Test
  void itHasTheFieldsOfThePredicateThatDetectionNeeds() {
    DetectionSpec spec = Objects.requireNonNull(active.spec());
    assertThat(spec.clauses()).isEqualTo(List.of(ClauseShape.all(2)));
    assertThat(spec.nodes()).isEqualTo(3);
    assertThat(spec.causality().epsilon()).isEqualTo(Epsilon.ofMicros(7));
  }

  @Test
  void candidatesOfTheSameVersionAreCurrentNewerOnesWaitAndOlderOnesAreOutdated() {
    assertThat(ActivePredicate.standing(active, 2)).isEqualTo(Standing.CURRENT);
    assertThat(ActivePredicate.standing(active, 3)).isEqualTo(Standing.AHEAD);
    assertThat(ActivePredicate.standing(active, 1)).isEqualTo(Standing.OUTDATED);
    assertThat(ActivePredicate.standing(null, 1)).isEqualTo(Standing.AHEAD);
  }

  @Test
  void ofADeletedPredicateOnlyALaterVersionCanCome() {
    ActivePredicate deleted = ActivePredicate.of(record(2, true), 3, Epsilon.INFINITE);
    assertThat(ActivePredicate.standing(deleted, 2)).isEqualTo(Standing.OUTDATED);
    assertThat(ActivePredicate.standing(deleted, 3)).isEqualTo(Standing.AHEAD);
  }

  @Test
  void anOlderVersionIsMissedOnlySinceAKnownTime() {
    assertThat(active.isMissedBy(7)).as("not known").isFalse();
    ActivePredicate applied = new ActivePredicate("p", 2, active.spec(), 7);
    assertThat(applied.isMissedBy(6)).isFalse();
    assertThat(applied.isMissedBy(7)).isTrue();
    assertThat(ActivePredicate.deleted("p", 3).isMissedBy(7)).isFalse();
  }

  private static byte[] record(long version, boolean deleted) {
    return PredicateRecord.newBuilder()
        .setName("p")
        .setVersion(version)
        .setYaml(deleted ? "" : YAML)
        .setDeleted(deleted)
        .build()
        .toByteArray();
  }
}
