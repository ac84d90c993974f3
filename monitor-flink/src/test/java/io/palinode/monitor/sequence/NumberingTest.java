package io.palinode.monitor.sequence;

import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.gap;
import static io.palinode.monitor.Records.opened;
import static io.palinode.monitor.Records.progress;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.monitor.CandidateEvent;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compared with a set of all missing numbers. */
class NumberingTest {
  private static final int STEPS = 200;

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void allIsBehindAHoleUntilTheFirstProgressWithNothingMissing(long seed) {
    Random random = new Random(seed);
    Numbering numbering = new Numbering();
    TreeSet<Long> missing = new TreeSet<>();
    boolean behind = false;
    long sequence = 0;
    long refused = 0;
    numbering.observe(progress(0, 0, 1));
    for (int at = 2; at < STEPS; at++) {
      CandidateEvent next;
      int choice = random.nextInt(8);
      if (choice < 2) {
        // Refused: nothing arrives, and the next thing that does shows it.
        refused++;
        continue;
      }
      for (long number = sequence + 1; number <= sequence + refused; number++) {
        missing.add(number);
      }
      sequence += refused;
      refused = 0;
      behind |= !missing.isEmpty();
      if (choice < 5) {
        next = opened(0, ++sequence, at);
      } else if (choice < 7 || missing.isEmpty()) {
        next = progress(0, sequence, at);
        behind &= !missing.isEmpty();
      } else {
        long first = any(missing, random);
        long last = Math.max(first, any(missing, random));
        next = event(gap(0, first, last, at, at));
        // What else was refused is shown first, without a look.
        numbering.observe(progress(0, sequence, at));
        missing.subSet(first, true, last, true).clear();
      }
      numbering.observe(next);
      assertThat(numbering.isBehindHole(next)).as("seed=%d at=%d", seed, at).isEqualTo(behind);
    }
  }

  /** In a job that restarted behind earlier records, no gap would explain 83 to 88. */
  @Test
  void aGapThatIsReadFirstDoesNotShowWhereSequencesStart() {
    Numbering numbering = new Numbering();
    assertThat(isBehindHole(numbering, event(gap(0, 80, 82, 1, 1)))).isTrue();
    assertThat(isBehindHole(numbering, opened(0, 89, 2))).as("possibly late").isTrue();
    assertThat(isBehindHole(numbering, progress(0, 89, 3))).isFalse();
    assertThat(isBehindHole(numbering, progress(0, 90, 4))).as("90 is missing").isTrue();
  }

  private static boolean isBehindHole(Numbering numbering, CandidateEvent event) {
    numbering.observe(event);
    return numbering.isBehindHole(event);
  }

  @Test
  void eventsAfterANewGapWaitForProgress() {
    Numbering numbering = new Numbering();
    numbering.observe(progress(0, 1, 1));
    // An end that Kafka refused: it is published late, and the next event was sent before it.
    numbering.observe(event(gap(0, 2, 2, 2, 2)));
    CandidateEvent next = opened(0, 3, 3);
    numbering.observe(next);
    assertThat(numbering.isBehindHole(next)).isTrue();
    CandidateEvent progress = progress(0, 3, 4);
    numbering.observe(progress);
    assertThat(numbering.isBehindHole(progress)).isFalse();
  }

  @Test
  void aLateEventDoesNotShortenTheWaitForAHole() {
    Numbering numbering = new Numbering();
    numbering.observe(progress(0, 1, 1));
    CandidateEvent late = opened(0, 3, 2);
    numbering.observe(late);
    CandidateEvent soon = progress(0, 3, 60_000_000);
    numbering.observe(soon);
    assertThat(numbering.isBehindHole(soon)).isTrue();
    CandidateEvent after = progress(0, 3, 91_000_000);
    numbering.observe(after);
    assertThat(numbering.isBehindHole(after)).isFalse();
  }

  private static long any(Set<Long> numbers, Random random) {
    return numbers.stream().skip(random.nextInt(numbers.size())).findFirst().orElseThrow();
  }
}
