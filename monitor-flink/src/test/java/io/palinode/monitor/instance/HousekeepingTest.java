package io.palinode.monitor.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HousekeepingTest {
  private static final long PERIOD = Hlc.ofMicros(10_000_000);
  private static final long NOW = Hlc.of(1_790_000_000_000_000L, 17);

  @Test
  void itIsDueOneToTwoPeriodsLater() {
    for (int i = 0; i < 1_000; i++) {
      long next = Housekeeping.next("key" + i, NOW);
      assertThat(next - NOW).isBetween(PERIOD, 2 * PERIOD);
      assertThat(Housekeeping.isDue("key" + i, next)).isTrue();
      assertThat(Housekeeping.isDue("key" + i, next + 1)).isFalse();
    }
  }

  @Test
  void eventsOfOnePeriodAgreeOnOneTime() {
    long slot = Housekeeping.next("key", NOW) - 2 * PERIOD;
    assertThat(Housekeeping.next("key", slot))
        .isEqualTo(Housekeeping.next("key", slot + PERIOD - 1));
  }

  @Test
  void keysAreSpreadOverThePeriod() {
    Set<Long> times = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      times.add(Housekeeping.next("key" + i * 7919, NOW));
    }
    assertThat(times).hasSizeGreaterThan(900);
  }
}
