package io.palinode.voldemort.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RestartBackOffTest {
  private static final Duration LEAST = Duration.ofMillis(2);
  private static final Duration MOST = Duration.ofMillis(50);

  @Test
  void theLongestWaitDoublesWithEachRollbackUpToTheLimit() {
    long[] longest = {2, 4, 8, 16, 32, 50, 50};
    long[] seen = new long[longest.length];
    for (long seed = 0; seed < 2_000; seed++) {
      RestartBackOff backOff = new RestartBackOff(LEAST, MOST, new Random(seed));
      for (int i = 0; i < longest.length; i++) {
        Duration wait = backOff.rolledBack();
        assertThat(wait)
            .as("seed=%d rollback=%d", seed, i)
            .isPositive()
            .isLessThanOrEqualTo(Duration.ofMillis(longest[i]));
        seen[i] = Math.max(seen[i], wait.toNanos());
      }
    }
    for (int i = 0; i < longest.length; i++) {
      assertThat(seen[i]).isGreaterThan(longest[i] * 900_000);
    }
  }

  @Test
  void aProgramThatMadeProgressRestartsTheWait() {
    RestartBackOff backOff = new RestartBackOff(LEAST, MOST, new Random(1));
    for (int i = 0; i < 10; i++) {
      assertThat(backOff.rolledBack()).isPositive();
    }
    backOff.progressed();
    assertThat(backOff.rolledBack()).isLessThanOrEqualTo(LEAST);
  }

  @Test
  void aLimitBelowTheLeastIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RestartBackOff(MOST, LEAST, new Random(1)))
        .withMessage("least must be positive and not above most: least=PT0.05S most=PT0.002S");
  }
}
