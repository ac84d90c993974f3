package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.policy.Policy;
import org.junit.jupiter.api.Test;

/** When a violation has ended whose end the monitor does not publish. */
class ReceivedViolationTest {
  private static final Policy POLICY = Policies.beforeViolation("p");

  @Test
  void aViolationThatARollbackDiscardedHasEndedOnceTheNextEpochIsJudged() {
    Script script = Script.of(1, POLICY).violation("v1", "p", 500, 500).judged(600).carryOut(1);
    long resumed = script.state().log().plans().past().get(0).clock();
    assertThat(ended(script)).as("it may be reported again").isZero();
    script.judged(Hlc.micros(resumed) + 1_000_000);
    assertThat(ended(script)).as("that takes a moment").isZero();
    script.judged(Hlc.micros(resumed) + 1_000_001);
    assertThat(ended(script)).isEqualTo(resumed);
  }

  @Test
  void aViolationEndsWithItsVersionOfThePredicate() {
    Script script = Script.of(1, POLICY).violation("v1", "p", 500, 500).judged(600);
    assertThat(ended(script)).isZero();
    script.policy(Policy.deleted("p", POLICY.version() + 1).appliedAt(700));
    assertThat(ended(script)).isEqualTo(Hlc.ofMicros(700));
  }

  @Test
  void anEndByARollbackIsAChangeOnce() {
    Script script = Script.of(1, POLICY).violation("v1", "p", 500, 500).judged(600).carryOut(1);
    long resumed = script.state().log().plans().past().get(0).clock();
    script.judged(Hlc.micros(resumed) + 1_000_000);
    assertThat(script.publishedEnds()).containsOnly(0L);
    script.judged(Hlc.micros(resumed) + 1_000_001);
    script.judged(Hlc.micros(resumed) + 1_000_002);
    assertThat(script.publishedEnds()).endsWith(0L, resumed).containsOnlyOnce(resumed);
  }

  @Test
  void anEndWithTheVersionOfThePredicateIsAChange() {
    Script script = Script.of(1, POLICY).violation("v1", "p", 500, 500).judged(600);
    script.policy(Policy.deleted("p", POLICY.version() + 1).appliedAt(700));
    assertThat(script.publishedEnds()).endsWith(Hlc.ofMicros(700));
  }

  private static long ended(Script script) {
    return script.received().get(0).ended();
  }
}
