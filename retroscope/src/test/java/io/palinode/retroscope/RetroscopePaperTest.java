package io.palinode.retroscope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The claims of Charapko et al., "Retrospective Lightweight Distributed Snapshots Using Loosely
 * Synchronized Clocks", ICDCS 2017, one test each; then the errors of its implementation.
 */
class RetroscopePaperTest {
  private static final Duration MAX_DRIFT = Duration.ofSeconds(1);
  private static final int SEEDS = 200;

  private final Site site = new Site(1_000_000);

  /** §II: if e happened before f, then HLC(e) < HLC(f). */
  @Test
  void anEarlierEventHasTheSmallerTime() {
    Site ahead = new Site(1_500_000);
    long sent = ahead.retroscope.timeTick();
    assertThat(site.retroscope.timeTick(sent)).isGreaterThan(sent);
    assertThat(site.retroscope.timeTick()).isGreaterThan(sent + 1);
  }

  /** §II: the time of an event stays near the physical clocks. */
  @Test
  void theTimeIsNeverBehindTheOwnClockAndAheadOfItByNoMoreThanTheClocksAreApart() {
    Site ahead = new Site(1_500_000);
    for (int i = 0; i < 10_000; i++) {
      site.micros.addAndGet(1);
      ahead.micros.addAndGet(1);
      long received = site.retroscope.timeTick(ahead.retroscope.timeTick());
      assertThat(Hlc.micros(received)).isBetween(site.micros.get(), ahead.micros.get() + 1);
    }
  }

  /** §II: the time fits into 64 bits, and the original's 8 bytes are what a message grows by. */
  @Test
  void aMessageGrowsByTheTimeAndAVersionOnly() {
    byte[] wrapped = site.retroscope.wrapHLC(bytes("hi"));
    assertThat(wrapped).hasSize(1 + Long.BYTES + 2);
  }

  /** The bytes of version 1. */
  @Test
  void aWrappedMessageHasTheseBytes() {
    assertThat(site.retroscope.wrapHLC(bytes("hi")))
        .containsExactly(1, 0, 0, 0, 0, 0xF4, 0x24, 0x00, 0x01, 'h', 'i');
    assertThatThrownBy(() -> site.retroscope.unwrapHLC(new byte[] {2, 0, 0, 0, 0, 0, 0, 0, 0}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version 1");
    assertThatThrownBy(() -> site.retroscope.unwrapHLC(new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** §II: the states at one time on all nodes are a consistent cut. */
  @Test
  void noSnapshotHasAReceiptWithoutItsSending() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      List<Site> sites = List.of(new Site(900_000), new Site(1_000_000), new Site(1_300_000));
      List<Long> times = new ArrayList<>();
      for (int message = 0; message < 40; message++) {
        Site from = sites.get(random.nextInt(3));
        Site to = sites.get(random.nextInt(3));
        sites.forEach(each -> each.micros.addAndGet(random.nextInt(100)));
        times.add(from.put("sent" + message, "yes"));
        byte[] received = to.retroscope.unwrapHLC(from.retroscope.wrapHLC(bytes("m" + message)));
        times.add(to.put("received" + History.text(received).substring(1), "yes"));
      }
      long reach = sites.stream().mapToLong(each -> each.openedAt).max().orElseThrow();
      for (long time : times.stream().filter(each -> each >= reach).toList()) {
        Map<String, String> cut = new HashMap<>();
        sites.forEach(each -> cut.putAll(each.at(time)));
        for (String key : cut.keySet()) {
          assertThat(cut)
              .as("seed=%d time=%d", seed, time)
              .containsKey(key.replace("received", "sent"));
        }
      }
    }
  }

  /** §III: an instant snapshot needs no undoing. */
  @Test
  void thePresentDiffersFromItselfByNothing() {
    site.put("x", "1");
    assertThat(site.retroscope.computeDiff("log", site.retroscope.timeTick()).size()).isZero();
  }

  /** §III: a retrospective snapshot is the present with the difference applied. */
  @Test
  void aTimeInThePastIsRestored() {
    site.put("x", "1");
    site.put("y", "1");
    long then = site.retroscope.timeTick();
    site.put("x", "2");
    site.put("z", "1");
    site.put("y", null);
    assertThat(site.at(then)).isEqualTo(Map.of("x", "1", "y", "1"));
  }

  /** §III: of several changes of a key only the first after the time counts. */
  @Test
  void shadowedChangesAreLeftOut() {
    long then = site.put("x", "0");
    for (int i = 1; i <= 100; i++) {
      site.put("x", Integer.toString(i));
    }
    Diff diff = site.retroscope.computeDiff("log", then);
    assertThat(diff.size()).isEqualTo(1);
    assertThat(diff.entries()).isEqualTo(100);
    assertThat(site.at(then)).isEqualTo(Map.of("x", "0"));
  }

  /** §III: rolling snapshots step from one time to another, either way. */
  @Test
  void aSnapshotRollsForwardAndBackwardByDifferences() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Site rolled = new Site(1_000_000);
      List<Long> times = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String value = random.nextInt(3) == 0 ? null : Integer.toString(i);
        times.add(rolled.put("k" + random.nextInt(6), value));
      }
      long at = times.get(random.nextInt(40));
      Map<String, String> snapshot = rolled.at(at);
      for (int step = 0; step < 10; step++) {
        long next = times.get(random.nextInt(40));
        Site.apply(rolled.retroscope.computeDiff("log", at, next), snapshot);
        assertThat(snapshot).as("seed=%d step=%d", seed, step).isEqualTo(rolled.at(next));
        at = next;
      }
    }
  }

  /** §III: the log is bounded, and a time before what it keeps is refused. */
  @Test
  void theWindowSlidesAndATimeBeforeItIsRefusedWithTheRangeThatIsReached() {
    long first = site.put("x", "1");
    byte[] value = new byte[100_000];
    for (int i = 0; i < 100; i++) {
      site.retroscope.appendToLog("log", bytes("y"), value, value);
    }
    assertThat(site.retroscope.reach("log")).isGreaterThan(first);
    assertThatThrownBy(() -> site.retroscope.computeDiff("log", first))
        .isInstanceOf(OutOfReachException.class)
        .hasMessageContaining("reaches from " + PointInTime.format(site.retroscope.reach("log")));
  }

  /** §III: a node may keep several logs; one time cuts them all. */
  @Test
  void logsHaveTheirNamesAndOneClock() {
    site.retroscope.openLog("other", WindowLogConfig.DEFAULT, key -> null);
    long one = site.retroscope.appendToLog("log", bytes("x"), null, bytes("1"));
    long two = site.retroscope.appendToLog("other", bytes("x"), null, bytes("1"));
    assertThat(two).isGreaterThan(one);
    assertThat(site.retroscope.computeDiff("log", one).size()).isZero();
    assertThat(site.retroscope.computeDiff("other", one).size()).isEqualTo(1);
    assertThatThrownBy(() -> site.retroscope.computeDiff("none", one))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a log must be one of [log, other]: name=none");
  }

  /** The original's counter was a signed 16-bit number. */
  @Test
  void aHundredThousandTicksUnderOneClockReadingKeepTheirOrder() {
    long last = 0;
    for (int i = 0; i < 100_000; i++) {
      long tick = site.retroscope.timeTick();
      assertThat(tick).isGreaterThan(last);
      last = tick;
    }
    assertThat(Hlc.micros(last)).isBetween(1_000_000L, 1_000_100L);
  }

  /** The original let one clock that was ahead break everyone's order. */
  @Test
  void aTimeTooFarAheadIsRefusedAndMovesNoClock() {
    long farAhead = Hlc.ofMicros(3_000_000);
    assertThatThrownBy(() -> site.retroscope.timeTick(farAhead))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("received=3000000 clock=1000000");
    assertThat(site.retroscope.timeTick()).isLessThan(farAhead);
  }

  /** The original lost the wrapped message. */
  @Test
  void aMessageComesBackAsItWas() {
    Site other = new Site(1_200_000);
    byte[] wrapped = other.retroscope.wrapHLC(bytes("the payload"));
    assertThat(site.retroscope.unwrapHLC(wrapped)).isEqualTo(bytes("the payload"));
    assertThat(Hlc.micros(site.retroscope.timeTick())).isEqualTo(1_200_000);
  }

  /** The original ticked outside of the log's lock: of a million entries 30 were out of order. */
  @Test
  void theLogIsInTheOrderOfTimeWithManyAppenders() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      byte[] key = bytes("k" + t);
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  site.retroscope.appendToLog("log", key, null, key);
                }
              },
              "appender-" + t);
      thread.setUncaughtExceptionHandler(
          (where, failure) -> {
            synchronized (failures) {
              failures.add(failure);
            }
          });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    assertThat(site.retroscope.computeDiff("log", site.openedAt).entries()).isEqualTo(200_000);
  }

  /** The original stamped an old value with the time at which it ended. */
  @Test
  void aChangeCountsFromItsOwnTimeOn() {
    site.put("x", "1");
    long changed = site.put("x", "2");
    assertThat(site.at(changed)).isEqualTo(Map.of("x", "2"));
    assertThat(site.at(changed - 1)).isEqualTo(Map.of("x", "1"));
  }

  /** The original kept checkpoints of dropped entries for ever. */
  @Test
  void theMemoryStaysWithinItsBoundInALongRun() {
    byte[] value = new byte[1_000];
    for (int i = 0; i < 50_000; i++) {
      site.retroscope.appendToLog("log", bytes("key" + i), value, value);
      assertThat(site.retroscope.bytes("log"))
          .isLessThanOrEqualTo(Site.BYTES_MAX + LogLayout.SEGMENT_BYTES);
    }
  }

  /** A store of text with a clock that does not move by itself. */
  private static final class Site {
    static final long BYTES_MAX = 8 << 20;

    final AtomicLong micros;
    final Retroscope retroscope;
    final long openedAt;
    private final Map<String, String> state = new HashMap<>();

    Site(long micros) {
      this.micros = new AtomicLong(micros);
      this.retroscope = new Retroscope(this.micros::get, MAX_DRIFT, Runnable::run);
      retroscope.openLog(
          "log",
          new WindowLogConfig(Duration.ofHours(1), BYTES_MAX),
          key -> toBytes(state.get(History.text(key))));
      this.openedAt = retroscope.reach("log");
    }

    long put(String key, @Nullable String value) {
      String old = value == null ? state.remove(key) : state.put(key, value);
      return retroscope.appendToLog("log", bytes(key), toBytes(old), toBytes(value));
    }

    Map<String, String> at(long time) {
      Map<String, String> then = new HashMap<>(state);
      apply(retroscope.computeDiff("log", time), then);
      return then;
    }

    static void apply(Diff diff, Map<String, String> state) {
      diff.forEach(
          (key, value) -> {
            if (value == null) {
              state.remove(History.text(key));
            } else {
              state.put(History.text(key), History.text(value));
            }
          });
    }

    private static byte @Nullable [] toBytes(@Nullable String text) {
      return text == null ? null : bytes(text);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
