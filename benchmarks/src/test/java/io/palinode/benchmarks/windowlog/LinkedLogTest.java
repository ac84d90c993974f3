package io.palinode.benchmarks.windowlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Sizes;
import io.palinode.benchmarks.windowlog.WindowLogBenchmark.Spread;
import io.palinode.retroscope.WindowLogConfig;
import org.junit.jupiter.api.Test;

class LinkedLogTest {
  @Test
  void theSimpleLogAndTheWindowLogGiveTheSameDifferences() {
    for (Spread spread : Spread.values()) {
      ChangeStream one = new ChangeStream(new Sizes(16, 100), 20_000, spread, false, 1);
      ChangeStream other = new ChangeStream(new Sizes(16, 100), 20_000, spread, true, 1);
      RecentPast simple = new LinkedLog(one.micros(), Long.MAX_VALUE);
      RecentPast ours = SegmentLog.alone(other.micros(), WindowLogConfig.DEFAULT);
      for (int i = 0; i < 20_000; i++) {
        one.append(simple);
        other.append(ours);
      }
      for (int count : new int[] {0, 1, 100, 20_000}) {
        long past = one.nowMicros() - count;
        assertThat(ours.diff(past)).isEqualTo(simple.diff(past)).isBetween(count / 2, count);
        assertThat(ours.readDiff(past)).isEqualTo(simple.readDiff(past));
      }
    }
  }
}
