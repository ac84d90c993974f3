package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WalkTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 1_000);

  @Test
  void shortStepsFindWhatOneDifferenceFindsWhileTheLogChanges() {
    int ended = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = new History(seed);
      for (int i = 0; i < 120; i++) {
        history.change();
      }
      // No later change is at one of these times.
      List<Long> times = history.timesInReach();
      history.idle(1);
      long one = times.get(history.random.nextInt(times.size()));
      long other = times.get(history.random.nextInt(times.size()));
      long start = Math.min(one, other);
      long end = Math.max(one, other);
      Walk walk = new Walk(start, 1, history.pick(1, 3, 20), history.pick(1, 5, 40));
      try {
        assertThat(values(walk, history.log, end, history::change))
            .as("seed=%d start=%d end=%d", seed, start, end)
            .isEqualTo(history.expected(start, end, start));
        ended++;
      } catch (OutOfReachException dropped) {
        assertThat(walk.upTo()).as("seed=%d", seed).isLessThan(history.log.reach());
      }
    }
    assertThat(ended).isGreaterThan(SEEDS / 2);
  }

  @Test
  void aKeyThatHasANumberIsFoundOnce() {
    int keys = 100;
    LogLayout layout = new LogLayout(4_096, 1 << 20, ByteBuffer::allocate);
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, 0, Runnable::run, layout, null);
    for (int i = 1; i <= 100_000; i++) {
      log.append(i, History.bytes("k" + i % keys), null);
    }
    Walk walk = new Walk(0, 1, 10, 1_000);
    int steps = 0;
    int found = 0;
    while (walk.upTo() < log.last()) {
      try (Diff step = walk.next(log, log.last())) {
        found += step.size();
      }
      steps++;
    }
    assertThat(steps).isGreaterThan(100);
    // The last segment's keys have no numbers yet.
    assertThat(found).isBetween(keys, 4 * keys);
  }

  @Test
  void aBeginBeforeTheReachIsNamedInTheRefusal() {
    WindowLog log = new WindowLog(WindowLogConfig.DEFAULT, Hlc.ofMicros(60_000_000));
    long begin = Hlc.ofMicros(2_000_000);
    Walk walk = new Walk(begin, log.last());
    assertThatThrownBy(() -> walk.next(log, log.last()))
        .isInstanceOf(OutOfReachException.class)
        .hasMessageStartingWith("time %s is".formatted(PointInTime.format(begin)));
  }

  /** Of a key that comes twice, the first counts. */
  static Map<String, String> values(Walk walk, WindowLog log, long end, Runnable afterStep) {
    Map<String, String> values = new HashMap<>();
    while (walk.upTo() < end) {
      try (Diff step = walk.next(log, end)) {
        History.read(step).forEach(values::putIfAbsent);
      }
      afterStep.run();
    }
    return values;
  }
}
