package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClockOffsetsTest {
  private static final long SECOND = 1_000_000;

  private final ClockOffsets offsets = new ClockOffsets();

  @Test
  void aClockThatIsAheadIsSeenByItsFirstRecord() {
    offsets.observe(0, 5_000, 8_000);
    offsets.observe(1, 5_000, 9_000);
    offsets.observe(2, 5_000 + 10 * SECOND, 9_000);
    assertThat(offsets.at(9_000).get(2)).isBetween(10 * SECOND - 4_000, 10 * SECOND);
    assertThat(offsets.at(9_000).get(0)).isBetween(-4_000L, 0L);
  }

  /** It might be late. */
  @Test
  void aClockThatIsBehindIsSeenByThreeRecords() {
    for (long at = SECOND; at < 4 * SECOND; at += SECOND) {
      assertThat(offsets.at(at).getOrDefault(2, 0L)).as("at %d", at).isZero();
      offsets.observe(0, at, at);
      offsets.observe(1, at, at);
      offsets.observe(2, at - 10 * SECOND, at);
    }
    assertThat(offsets.at(4 * SECOND)).isEqualTo(Map.of(0, 0L, 1, 0L, 2, -10 * SECOND));
  }

  @Test
  void aLateRecordIsNoClockThatIsBehind() {
    for (long at = SECOND; at < 4 * SECOND; at += SECOND) {
      offsets.observe(0, at, at);
      offsets.observe(1, at, at);
    }
    offsets.observe(1, 4 * SECOND, 34 * SECOND);
    assertThat(offsets.at(34 * SECOND).get(1)).isZero();
  }

  @Test
  void aWrongClockOfThisProcessIsNoNodes() {
    for (int node = 0; node < 3; node++) {
      offsets.observe(node, 100 * SECOND, 10 * SECOND);
    }
    assertThat(offsets.at(10 * SECOND).values()).containsOnly(0L);
  }

  @Test
  void aNodeThatIsSilentIsForgotten() {
    offsets.observe(0, 0, 0);
    offsets.observe(1, ClockOffsets.FORGET_MICROS, ClockOffsets.FORGET_MICROS);
    assertThat(offsets.at(ClockOffsets.FORGET_MICROS)).containsOnlyKeys(0, 1);
    assertThat(offsets.at(ClockOffsets.FORGET_MICROS + 1)).containsOnlyKeys(1);
  }

  /** Of each node two of three records are late by any time. One clock is wrong. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void anEstimateIsWithinItsError(long seed) {
    Random random = new Random(seed);
    for (int run = 0; run < 2_000; run++) {
      ClockOffsets some = new ClockOffsets();
      int nodes = 2 + random.nextInt(5);
      int wrong = random.nextInt(nodes);
      long offset = random.nextLong(-20 * SECOND, 20 * SECOND);
      for (int node = 0; node < nodes; node++) {
        long own = node == wrong ? offset : 0;
        int timely = random.nextInt(ClockOffsets.SAMPLES);
        for (int i = 0; i < ClockOffsets.SAMPLES; i++) {
          long most = i == timely ? ClockOffsets.ERROR_MICROS : 30 * SECOND;
          long received = (100 + 10L * i) * SECOND;
          some.observe(node, received - random.nextLong(most) + own, received);
        }
      }
      long found = Objects.requireNonNull(some.at(121 * SECOND).get(wrong));
      assertThat(Math.abs(found - offset))
          .as("seed %d run %d offset %d", seed, run, offset)
          .isLessThanOrEqualTo(ClockOffsets.ERROR_MICROS);
    }
  }
}
