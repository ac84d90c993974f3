package io.palinode.hvc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The claims of "Analysis of Bounds on Hybrid Vector Clocks" and of "Logical Physical Clocks" that
 * the system relies on.
 */
class HvcClockTest {
  private static final Duration DRIFT = Duration.ofMillis(500);
  private final AtomicLong now = new AtomicLong(1_000_000);

  @Test
  void anEntryWithoutMessagesFollowsPhysicalTimeAtTheDistanceOfEpsilon() {
    HvcClock clock = clock(0, 3, "10ms");
    assertThat(clock.tick()).isEqualTo(hvc(0, 1_000_000, 990_000, 990_000));
    now.addAndGet(50_000);
    assertThat(clock.tick()).isEqualTo(hvc(0, 1_050_000, 1_040_000, 1_040_000));
  }

  @Test
  void withoutABoundItIsAVectorClock() {
    HvcClock clock = clock(0, 3, "inf");
    assertThat(clock.tick()).isEqualTo(hvc(0, 1_000_000, 0, 0));
    assertThat(clock.tick(hvc(1, 5, 999_000, 7)).get(2)).isEqualTo(Hlc.ofMicros(7));
  }

  @Test
  void aReceivedEntryIsTakenOverAndPushesTheOwnOne() {
    HvcClock clock = clock(0, 3, "10ms");
    Hvc after = clock.tick(hvc(1, 990_000, 1_002_000, 991_000));
    assertThat(after.get(1)).isEqualTo(Hlc.ofMicros(1_002_000));
    assertThat(after.get(2)).isEqualTo(Hlc.ofMicros(991_000));
    assertThat(after.own()).isEqualTo(Hlc.ofMicros(1_002_000) + 1);
  }

  @Test
  void aClockTooFarAheadIsRefusedByNameAndChangesNothing() {
    HvcClock clock = clock(0, 3, "10ms");
    Hvc before = clock.tick();
    assertThatThrownBy(() -> clock.tick(hvc(2, 0, 0, 1_500_001)))
        .isInstanceOf(ClockDriftException.class)
        .hasMessageContaining(
            "node 0 at 1970-01-01T00:00:01.000000Z received 1970-01-01T00:00:01.500001Z of node 2")
        .hasMessageContaining("check both clocks");
    assertThat(clock.last()).isEqualTo(before);
    assertThat(clock.tick(hvc(2, 0, 0, 1_500_000)).own()).isEqualTo(Hlc.ofMicros(1_500_000) + 1);
  }

  @Test
  void aReadingThatTheClockHasPassedIsNoEvent() {
    HvcClock clock = clock(0, 3, "10ms");
    clock.receive(hvc(1, 990_000, 1_002_000, 991_000));
    Hvc last = clock.last();
    assertThat(last.own()).isEqualTo(Hlc.ofMicros(1_002_000) + 1);
    clock.receive(hvc(1, 990_000, 1_002_000, 990_000));
    assertThat(clock.last()).isSameAs(last);
    clock.receive(hvc(2, 990_000, 1_002_000, 991_001));
    assertThat(clock.last().get(2)).isEqualTo(Hlc.ofMicros(991_001));
    assertThat(clock.last().own()).isGreaterThan(last.own());
    Hvc newer = clock.last();
    assertThatThrownBy(() -> clock.receive(hvc(2, 0, 0, 1_500_001)))
        .isInstanceOf(ClockDriftException.class);
    assertThatThrownBy(() -> clock.receive(hvc(1, 0, 0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(clock.last()).isSameAs(newer);
  }

  /** As {@link HvcClock#tick(Hvc)} would order them, in random histories. */
  @Test
  void eachReadingAfterAReceivedOneIsGreaterInAllItsEntriesAndInItsOwn() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<HvcClock> clocks =
          List.of(clock(0, 3, "10ms"), clock(1, 3, "10ms"), clock(2, 3, "10ms"));
      for (int step = 0; step < 100; step++) {
        now.addAndGet(random.nextInt(3));
        HvcClock sender = clocks.get(random.nextInt(3));
        HvcClock receiver = clocks.get(random.nextInt(3));
        Hvc sent = random.nextBoolean() ? sender.tick() : sender.last();
        receiver.receive(sent);
        Hvc next = receiver.tick();
        assertThat(sent.isBefore(next)).as("seed %d", seed).isTrue();
        assertThat(next.own()).as("seed %d", seed).isGreaterThan(sent.own());
      }
    }
  }

  @Test
  void whatTheClusterAgreedOnIsTickedPast() {
    HvcClock clock = clock(0, 3, "10ms");
    long agreed = Hlc.of(1_400_000, 7);
    assertThat(clock.tickPast(agreed).own()).isEqualTo(agreed + 1);
    assertThat(clock.tickPast(agreed - 5).own()).isEqualTo(agreed + 2);
  }

  @Test
  void aClockTooFarAheadMovesOthersByAtMostTheDriftButIsNotRefused() {
    HvcClock clock = clock(0, 3, "10ms");
    assertThat(clock.tickPast(Hlc.ofMicros(9_000_000)).own()).isEqualTo(Hlc.ofMicros(1_500_000));
    Hvc far = clock.last();
    assertThat(clock(1, 3, "10ms").tick(far).own()).isGreaterThan(far.own());
  }

  @Test
  void clocksOfAnotherClusterAreRefused() {
    assertThatThrownBy(() -> clock(0, 3, "10ms").tick(hvc(0, 1, 1)))
        .hasMessageContaining("has 3 entries");
  }

  @Test
  void happenedBeforeImpliesLess() {
    for (long seed = 0; seed < 300; seed++) {
      new Computation(seed).run();
    }
  }

  @Test
  void readingsOfManyThreadsAreUniqueAndInOrder() throws InterruptedException {
    HvcClock clock = clock(0, 2, "1ms");
    List<List<Long>> seen = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (List<Long> own : seen) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 20_000; i++) {
                  own.add(clock.tick().own());
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    seen.forEach(own -> assertThat(own).isSorted());
    assertThat(seen.stream().flatMap(List::stream).distinct().count()).isEqualTo(60_000);
  }

  private HvcClock clock(int owner, int nodes, String epsilon) {
    return new HvcClock(owner, nodes, Epsilon.parse(epsilon), now::get, DRIFT);
  }

  static Hvc hvc(int owner, long... micros) {
    long[] entries = new long[micros.length];
    for (int i = 0; i < micros.length; i++) {
      entries[i] = Hlc.ofMicros(micros[i]);
    }
    return Hvc.of(owner, entries);
  }

  /**
   * Random events and messages on nodes whose physical clocks differ by less than ε;
   * happened-before is tracked by sets.
   */
  private static final class Computation {
    private static final int NODES = 3;
    private static final long EPSILON = 1_000;
    private final long seed;
    private final Random random;
    private final AtomicLong trueTime = new AtomicLong(1_000_000);
    private final List<HvcClock> clocks = new ArrayList<>();
    private final List<java.util.BitSet> past = new ArrayList<>();
    private final List<Hvc> events = new ArrayList<>();
    private final List<java.util.BitSet> causes = new ArrayList<>();

    Computation(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      for (int i = 0; i < NODES; i++) {
        long skew = random.nextLong(EPSILON) - EPSILON / 2;
        clocks.add(
            new HvcClock(i, NODES, Epsilon.ofMicros(EPSILON), () -> trueTime.get() + skew, DRIFT));
        past.add(new java.util.BitSet());
      }
    }

    void run() {
      for (int i = 0; i < 60; i++) {
        trueTime.addAndGet(random.nextInt(400));
        int node = random.nextInt(NODES);
        if (events.isEmpty() || random.nextBoolean()) {
          record(node, clocks.get(node).tick());
        } else {
          int message = random.nextInt(events.size());
          past.get(node).or(causes.get(message));
          record(node, clocks.get(node).tick(events.get(message)));
        }
      }
      for (int f = 0; f < events.size(); f++) {
        for (int e = causes.get(f).nextSetBit(0); e >= 0; e = causes.get(f).nextSetBit(e + 1)) {
          assertThat(e == f || events.get(e).isBefore(events.get(f)))
              .as(
                  "seed=%d: event %d %s happened before %d %s",
                  seed, e, events.get(e), f, events.get(f))
              .isTrue();
        }
      }
    }

    private void record(int node, Hvc reading) {
      past.get(node).set(events.size());
      events.add(reading);
      causes.add((java.util.BitSet) past.get(node).clone());
    }
  }
}
