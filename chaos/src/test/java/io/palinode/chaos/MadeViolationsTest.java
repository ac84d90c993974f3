package io.palinode.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.chaos.MadeViolations.Made;
import io.palinode.chaos.MadeViolations.Outcome;
import io.palinode.chaos.MadeViolations.Unjudged;
import io.palinode.voldemort.client.session.RolledBack;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MadeViolationsTest {
  private static final Made MADE = new Made("a=1,b=2", 10, 20);

  private final MadeViolations violations = new MadeViolations();

  @Test
  void aViolationNeitherReportedNorUndoneNorUnjudgedIsMissed() {
    violations.made(MADE);
    violations.rolledBack(new RolledBack(0, 1, 20, 0));
    assertThat(violations.outcome(Set.of("a=3,b=4"), Set.of(new Unjudged(21, 30)), Set.of()))
        .isEqualTo(new Outcome(1, 0, 0, 0, List.of(MADE)));
  }

  @Test
  void aReportCounts() {
    violations.made(MADE);
    assertThat(violations.outcome(Set.of("a=1,b=2"), Set.of(), Set.of()).reported()).isEqualTo(1);
  }

  @Test
  void aRollbackBeforeBothHeldCountsUnlessItWasAbandoned() {
    violations.made(MADE);
    violations.rolledBack(new RolledBack(0, 1, 19, 0));
    assertThat(violations.outcome(Set.of(), Set.of(), Set.of()).takenBack()).isEqualTo(1);
    assertThat(violations.outcome(Set.of(), Set.of(), Set.of(1L)).missed()).containsExactly(MADE);
  }

  @Test
  void aRollbackOfTheTimeBeforeItWasMadeDoesNotCount() {
    violations.rolledBack(new RolledBack(0, 1, 5, 0));
    violations.made(MADE);
    assertThat(violations.outcome(Set.of(), Set.of(), Set.of()).missed()).containsExactly(MADE);
  }

  @Test
  void aLossThatTouchesItCounts() {
    violations.made(MADE);
    assertThat(violations.outcome(Set.of(), Set.of(new Unjudged(0, 10)), Set.of()).inLostCoverage())
        .isEqualTo(1);
    assertThat(violations.outcome(Set.of(), Set.of(new Unjudged(0, 9)), Set.of()).missed())
        .hasSize(1);
  }
}
