package io.palinode.simulation.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import org.junit.jupiter.api.Test;

class DetectionChecksTest {
  private static final long EPSILON_MICROS = 10_000;
  private static final long VIOLATE = 1_000;

  private final DetectionChecks checks =
      new DetectionChecks(true, new TermRuns(0, EPSILON_MICROS), null, 1);

  @Test
  void aViolationThatComesAfterItsTimeWasJudgedIsBroken() {
    checks.judged(VIOLATE);
    assertThatThrownBy(() -> checks.reported(violation("a", VIOLATE), false))
        .isInstanceOf(BrokenInvariant.class)
        .hasMessageContaining("was judged, then this came");
  }

  @Test
  void aViolationThatComesInTimeIsNot() {
    checks.judged(VIOLATE - 1);
    assertThatCode(() -> checks.reported(violation("a", VIOLATE), false))
        .doesNotThrowAnyException();
  }

  /** A restarted job publishes it before it reads of the next epoch. */
  @Test
  void aViolationThatARollbackHasUndoneIsLateForNoReader() {
    checks.judged(VIOLATE);
    assertThatCode(() -> checks.reported(violation("a", VIOLATE), true)).doesNotThrowAnyException();
  }

  @Test
  void thatAnotherReportIsNoLaterExcusesOnlyARestartedJob() {
    checks.reported(violation("a", VIOLATE), false);
    checks.judged(VIOLATE);
    assertThatThrownBy(() -> checks.reported(violation("b", VIOLATE), false))
        .isInstanceOf(BrokenInvariant.class);
    checks.jobRestarted();
    assertThatCode(() -> checks.reported(violation("c", VIOLATE), false))
        .doesNotThrowAnyException();
  }

  @Test
  void thatItsPredicateIsReplacedExcusesOnlyARestartedJob() {
    checks.judged(VIOLATE);
    checks.detecting(2);
    assertThatThrownBy(() -> checks.reported(violation("a", VIOLATE), false))
        .isInstanceOf(BrokenInvariant.class);
    checks.jobRestarted();
    assertThatCode(() -> checks.reported(violation("b", VIOLATE), false))
        .doesNotThrowAnyException();
  }

  private static Violation violation(String id, long violate) {
    return Violation.newBuilder()
        .setId("violation-" + id)
        .setPredicate("mutex")
        .setBinding("a=0,b=1")
        .setPredicateVersion(1)
        .setEpoch(2)
        .setViolate(violate)
        .addWitnesses(Witness.newBuilder().setNode(0).setIncarnation(1).setSequence(1))
        .addWitnesses(Witness.newBuilder().setNode(1).setIncarnation(1).setSequence(1))
        .build();
  }
}
