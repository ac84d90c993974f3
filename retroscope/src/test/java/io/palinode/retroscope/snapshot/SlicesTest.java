package io.palinode.retroscope.snapshot;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.WindowLogConfig;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlicesTest {
  @Test
  void aStartLongBeforeTheReachIsNamedInTheRefusal() {
    MapHistory history = new MapHistory(new Random(1), WindowLogConfig.DEFAULT);
    history.step = Hlc.ofMicros(1_000_000);
    for (int i = 0; i < 60; i++) {
      history.change();
    }
    history.looksUntilGone = 0;
    long start = Hlc.ofMicros(2_000_000);
    Slices slices = new Slices(history, MapHistory.STORES, start, history.now());
    assertThatThrownBy(() -> slices.endAfter(start))
        .isInstanceOf(OutOfReachException.class)
        .hasMessageStartingWith("time %s is".formatted(PointInTime.format(start)));
  }
}
