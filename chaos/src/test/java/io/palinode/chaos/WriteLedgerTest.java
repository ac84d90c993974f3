package io.palinode.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.voldemort.client.session.RolledBack;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WriteLedgerTest {
  private static final Set<Long> NONE_KEPT = Set.of();

  private final WriteLedger ledger = new WriteLedger();

  @Test
  void whatWasAcknowledgedOrFollowedItIsThere() {
    ledger.acknowledged("k", 1, 10);
    ledger.acknowledged("k", 2, 20);
    ledger.unanswered("k", 3);
    assertThat(ledger.faults(Map.of("k", Set.of(2L)), NONE_KEPT)).isEmpty();
    assertThat(ledger.faults(Map.of("k", Set.of(3L)), NONE_KEPT)).isEmpty();
    assertThat(ledger.faults(Map.of("k", Set.of(1L)), NONE_KEPT))
        .containsExactly("k has [1], but 2 was acknowledged and never discarded");
    assertThat(ledger.faults(Map.of(), NONE_KEPT)).hasSize(1);
  }

  @Test
  void whatWasTakenBackIsGoneAndWhatWasBeforeStands() {
    ledger.acknowledged("k", 1, 10);
    ledger.acknowledged("k", 2, 20);
    ledger.rolledBack(new RolledBack(0, 1, 10, 0));
    assertThat(ledger.faults(Map.of("k", Set.of(1L)), NONE_KEPT)).isEmpty();
    assertThat(ledger.faults(Map.of("k", Set.of(2L)), NONE_KEPT))
        .containsExactly("k has 2, which a rollback discarded");
    assertThat(ledger.counts(NONE_KEPT)).isEqualTo(new ChaosReport.Writes(2, 0, 1));
  }

  @Test
  void aLaterRollbackAlsoTakesBackWhatAnEarlierOneHadLeft() {
    ledger.acknowledged("k", 1, 10);
    ledger.rolledBack(new RolledBack(0, 1, 10, 0));
    ledger.rolledBack(new RolledBack(1, 2, 9, 0));
    assertThat(ledger.faults(Map.of("k", Set.of(1L)), NONE_KEPT)).hasSize(1);
    assertThat(ledger.faults(Map.of(), NONE_KEPT)).isEmpty();
  }

  @Test
  void whoMissedARollbackKnowsOnlyOfWhatStands() {
    ledger.acknowledged("k", 1, 10);
    ledger.acknowledged("k", 2, 20);
    ledger.rolledBack(new RolledBack(0, 2, 10, 0));
    assertThat(ledger.faults(Map.of("k", Set.of(2L)), NONE_KEPT)).isEmpty();
    assertThat(ledger.faults(Map.of("k", Set.of(1L)), NONE_KEPT)).isEmpty();
    assertThat(ledger.faults(Map.of(), NONE_KEPT)).hasSize(1);
  }

  @Test
  void anAbandonedRollbackTakesNothingBack() {
    ledger.acknowledged("k", 1, 10);
    ledger.rolledBack(new RolledBack(0, 1, 5, 0));
    assertThat(ledger.faults(Map.of("k", Set.of(1L)), Set.of(1L))).isEmpty();
    assertThat(ledger.faults(Map.of(), Set.of(1L))).hasSize(1);
  }
}
