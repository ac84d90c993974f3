package io.palinode.detector.terms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.Watched;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.template.Binding;
import org.junit.jupiter.api.Test;

class OpenIntervalsTest {
  private static final int INTERVALS_MAX = 100;
  private static final int CLOCK_BYTES = 20_000;

  private final OpenIntervals open = new OpenIntervals(INTERVALS_MAX);

  /** Clients select the length of a vector clock: up to 32,767 entries, and 0.6 MB. */
  @Test
  void longClocksTakeTheRoomOfOtherIntervals() {
    for (int i = 0; i < INTERVALS_MAX && !open.isFull(0, 0); i++) {
      open.add(interval(i, CLOCK_BYTES));
    }
    assertThat(open.size()).isEqualTo(INTERVALS_MAX * (int) OpenIntervals.BYTES_EACH / CLOCK_BYTES);
    assertThat(open.remove(interval(0, CLOCK_BYTES))).isTrue();
    assertThat(open.isFull(0, 0)).isFalse();
    assertThat(open.isFull(0, CLOCK_BYTES)).as("an end that waits keeps its room").isTrue();
  }

  @Test
  void shortClocksLeaveRoomForAllIntervals() {
    for (int i = 0; i < INTERVALS_MAX; i++) {
      assertThat(open.isFull(0, 0)).as("interval %d", i).isFalse();
      open.add(interval(i, 100));
    }
    assertThat(open.isFull(0, 0)).isTrue();
  }

  private static OpenInterval interval(int number, int clockBytes) {
    WatchedTerm term = new WatchedTerm(Watched.edgeMutex(1), 0, 0);
    Version version = new Version("1".getBytes(UTF_8), new byte[clockBytes]);
    return new OpenInterval(
        new StoreKey("s", ("x" + number).getBytes(UTF_8)),
        new Holding(term, Binding.NONE, version),
        "edge-mutex|",
        0,
        number,
        Hvc.of(0, number),
        OpenInterval.Source.UNKNOWN);
  }
}
