package io.palinode.monitor.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compared with a set of all published times. */
class PublishedGapsTest {
  private static final int TIMES = 200;
  private static final int RANGES = 30;

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aSpanIsCoveredExactlyByItsPublishedGaps(long seed) {
    Random random = new Random(seed);
    PublishedGaps published = new PublishedGaps();
    BitSet all = new BitSet();
    for (int i = 0; i < RANGES; i++) {
      int from = random.nextInt(TIMES);
      int to = from + random.nextInt(8);
      published.add(from, to);
      // Two times that are next to each other have others in between.
      all.set(2 * from, 2 * to + 1);
      int asked = random.nextInt(TIMES);
      int until = asked + random.nextInt(8);
      assertThat(published.has(asked, until))
          .as("seed=%d i=%d", seed, i)
          .isEqualTo(all.nextClearBit(2 * asked) > 2 * until);
    }
  }
}
