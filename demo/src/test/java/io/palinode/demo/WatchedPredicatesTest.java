package io.palinode.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.ReplicaRule;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchedPredicatesTest {
  @Test
  void byBothRulesEachPredicateIsWatchedTwiceAndActsOnce() {
    assertThat(WatchedPredicates.of(List.of(), JudgedBy.BOTH))
        .extracting(Predicate::name, Predicate::replicas, p -> p.onViolation().rollbackTo())
        .containsExactly(
            tuple("edge-mutex", ReplicaRule.FIRST, RollbackTarget.BEFORE_VIOLATION),
            tuple("edge-mutex-any", ReplicaRule.ANY, null),
            tuple("proper-colouring", ReplicaRule.FIRST, RollbackTarget.BEFORE_VIOLATION),
            tuple("proper-colouring-any", ReplicaRule.ANY, null));
  }

  @Test
  void byOneRuleThatRuleActs() {
    assertThat(WatchedPredicates.of(List.of(), JudgedBy.ANY))
        .hasSize(2)
        .allMatch(p -> p.replicas() == ReplicaRule.ANY)
        .allMatch(p -> p.onViolation().rollbackTo() != null);
  }

  @Test
  void whatOnlyAlertsTakesNothingBack() {
    assertThat(WatchedPredicates.alerting(WatchedPredicates.of(List.of(), null)))
        .hasSize(2)
        .allMatch(p -> p.onViolation().rollbackTo() == null)
        .allMatch(p -> p.onViolation().alerts().equals(List.of("console")));
  }
}
