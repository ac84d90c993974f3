package io.palinode.retroscope.snapshot;

import static io.palinode.retroscope.snapshot.MapHistory.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import org.junit.jupiter.api.Test;

class DistinctKeysTest {
  @Test
  void fewKeysAreCountedExactlyEvenIfTheyRepeat() {
    DistinctKeys keys = new DistinctKeys(0);
    assertThat(keys.count()).isZero();
    for (int i = 0; i < 1_000; i++) {
      keys.add(0, bytes("k" + i % 3));
      keys.add(1, bytes("k" + i % 2));
    }
    assertThat(keys.count()).isEqualTo(5);
  }

  @Test
  void manyAreCountedNearlyAndManyMoreThanExpectedToo() {
    for (int expected : new int[] {1_000, 100_000, 1_000_000}) {
      for (int times : new int[] {1, 10}) {
        DistinctKeys keys = new DistinctKeys(expected);
        for (int i = 0; i < times * expected; i++) {
          keys.add(0, bytes("key-" + i));
        }
        assertThat(keys.count())
            .as("expected=%d times=%d", expected, times)
            .isCloseTo((long) times * expected, withPercentage(2));
      }
    }
  }
}
