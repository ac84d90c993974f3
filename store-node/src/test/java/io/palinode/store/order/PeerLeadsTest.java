package io.palinode.store.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerLeadsTest {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long SECOND = 1_000_000;

  private final PeerLeads leads = new PeerLeads();

  @Test
  void theBoundIsTheLeastDifferenceOfTheLastMinute() {
    leads.received(1, 1_000_000, 1_000_700, 0);
    leads.received(1, 1_000_100, 1_000_400, 0);
    leads.received(1, 1_000_200, 1_000_900, 0);
    leads.received(2, 1_000_000, 999_000, 0);
    assertThat(leads.at(0)).isEqualTo(Map.of(1, 300L, 2, -1_000L));
    assertThat(leads.at(PeerLeads.KEEP_NANOS)).containsOnlyKeys(1, 2);
    assertThat(leads.at(PeerLeads.KEEP_NANOS + 1)).isEmpty();
  }

  @Test
  void aBoundGrowsWithItsAge() {
    leads.received(1, 0, 300, 0);
    assertThat(leads.at(10 * SECOND_NANOS)).isEqualTo(Map.of(1, 1_300L));
    leads.received(1, 0, 1_200, 10 * SECOND_NANOS);
    assertThat(leads.at(10 * SECOND_NANOS)).isEqualTo(Map.of(1, 1_200L));
  }

  @Test
  void anyNumberOfMessagesIsKeptInBoundedMemory() {
    long messages = 10L * PeerLeads.SAMPLES_MAX;
    for (int i = 0; i < messages; i++) {
      leads.received(1, 0, i, i);
    }
    long oldest = messages - PeerLeads.SAMPLES_MAX;
    assertThat(leads.at(messages).get(1)).isEqualTo(oldest + 1);
  }

  /** Against all messages of the last minute. Clocks drift, and delays are random. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void aBoundIsTheLeastOfAllMessagesAndNeverBelowTheTrueLead(long seed) {
    Random random = new Random(seed);
    for (int run = 0; run < 500; run++) {
      PeerLeads some = new PeerLeads();
      long offset = random.nextLong(-SECOND, SECOND);
      double drift = random.nextDouble(-PeerLeads.DRIFT_PPM, PeerLeads.DRIFT_PPM) / 1e6;
      List<long[]> all = new ArrayList<>();
      long now = 0;
      for (int i = 0; i < 100; i++) {
        now += random.nextLong(1, 4 * SECOND);
        long delay = random.nextInt(4) == 0 ? random.nextLong(3 * SECOND) : random.nextLong(9_000);
        // The peer's clock is the true one.
        long sent = now - delay;
        long received = now + (long) Math.ceil(offset + drift * now);
        some.received(1, sent, received, now * 1_000);
        all.add(new long[] {now, received - sent});
        long found = some.at(now * 1_000).getOrDefault(1, Long.MIN_VALUE);
        long least = least(all, now);
        assertThat(found).as("seed %d run %d message %d", seed, run, i).isBetween(least, least + 1);
        assertThat((double) found).isGreaterThanOrEqualTo(offset + drift * now);
      }
    }
  }

  private static long least(List<long[]> all, long now) {
    return all.stream()
        .filter(each -> (now - each[0]) * 1_000 <= PeerLeads.KEEP_NANOS)
        .mapToLong(each -> each[1] + (now - each[0] + 9_999) / 10_000)
        .min()
        .orElseThrow();
  }
}
