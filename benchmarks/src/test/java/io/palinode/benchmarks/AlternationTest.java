package io.palinode.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.benchmarks.Alternation.Laps;
import io.palinode.benchmarks.StoreLoad.Lap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class AlternationTest {
  private static final long STEPS = 1_000;

  /** Its operations are the steps that the work has taken since the last lap. */
  private static Supplier<Lap> lapsOf(AtomicLong steps) {
    return () -> {
      Histogram taken = new Histogram(3);
      taken.recordValueWithCount(1, steps.getAndSet(0));
      return new Lap(1, taken);
    };
  }

  @Test
  void worksInItsTurnsAndNotBetweenThem() {
    AtomicLong steps = new AtomicLong();
    AtomicLong nanosWorked = new AtomicLong();
    Alternation turns = new Alternation(lapsOf(steps));
    long begunNanos = turns.nanos();
    CompletableFuture<Void> work =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < STEPS; i++) {
                turns.pause(1_000_000);
                steps.incrementAndGet();
              }
              nanosWorked.set(turns.nanos() - begunNanos);
            });

    long begun = System.nanoTime();
    Laps laps = turns.measure(work);
    long wholeNanos = System.nanoTime() - begun;

    // A step that had begun may end after its turn.
    assertThat(laps.without().operations()).isLessThan(laps.with().operations() / 10);
    assertThat(laps.with().seconds()).isGreaterThan(1).isEqualTo(laps.without().seconds());
    assertThat(nanosWorked.get()).isLessThan(wholeNanos);
    assertThat(laps.seconds()).isBetween(nanosWorked.get() / 1e9 / 2, wholeNanos / 1e9);
    assertThat(laps.dips()).hasSizeGreaterThan(1).allMatch(dip -> dip < 1);
  }

  @Test
  void itsClockStandsWhileTheWorkIsHeld() {
    Alternation turns = new Alternation(lapsOf(new AtomicLong()));
    long held = turns.nanos();
    LockSupport.parkNanos(1_000_000);
    assertThat(turns.nanos()).isEqualTo(held);
  }
}
