package io.palinode.benchmarks;

import io.palinode.benchmarks.StoreLoad.Lap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Work that alternately stops for half a second and runs for half a second, for a minute: so what
 * clients get with it and without it is measured side by side, and what else the machine does falls
 * on both. What is left of the work then is done without being held, and not measured. For one
 * piece of work, whose threads call {@link #pass} often.
 */
final class Alternation {
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final double WHOLE_SECONDS = 0.4;

  /** This many give a good median; more would make long work twice as long. */
  private static final int PAIRS_MAX = 60;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What the work had begun is over by then. */
  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final double NANOS_PER_SECOND = 1e9;

  private static final CompletableFuture<?> NEVER = new CompletableFuture<>();

  private final Supplier<Lap> lap;
  private volatile boolean held = true;
  private volatile long heldSince = System.nanoTime();
  private final AtomicLong heldBefore = new AtomicLong();

  /**
   * What clients got.
   *
   * @param dips of each pair of turns: throughput that the work costs, as a part of 1
   * @param seconds that the work took, without the time in which it was held
   */
  record Laps(Lap with, Lap without, List<Double> dips, double seconds) {
    Laps {
      dips = List.copyOf(dips);
    }
  }

  /**
   * @param lap ends a lap and begins the next
   */
  Alternation(Supplier<Lap> lap) {
    this.lap = lap;
  }

  /** For threads that work: returns when they may continue; always true. */
  boolean pass() {
    while (held) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }

  /** For threads that work: returns after so long, and when they may continue. */
  void pause(long nanos) {
    LockSupport.parkNanos(nanos);
    var unused = pass();
  }

  /** A clock that stands while the work is held. */
  long nanos() {
    return (held ? heldSince : System.nanoTime()) - heldBefore.get();
  }

  /** Returns when the work is done. */
  Laps measure(CompletableFuture<?> work) {
    long begun = nanos();
    List<Double> dips = new ArrayList<>();
    Lap without = turn(true, NEVER);
    Lap with = turn(false, work);
    dips.add(dip(without, with));
    for (int pair = 1; pair < PAIRS_MAX && !work.isDone(); pair++) {
      Lap one = turn(true, NEVER);
      Lap other = turn(false, work);
      without = without.plus(one);
      with = with.plus(other);
      // The last one ends with the work: too short to count.
      if (other.seconds() >= WHOLE_SECONDS) {
        dips.add(dip(one, other));
      }
    }
    var unused = work.handle((done, failure) -> done).join();
    return new Laps(with, without, dips, (nanos() - begun) / NANOS_PER_SECOND);
  }

  private static double dip(Lap without, Lap with) {
    return 1 - with.operationsPerSecond() / Math.max(1, without.operationsPerSecond());
  }

  private Lap turn(boolean isHeld, CompletableFuture<?> work) {
    hold(isHeld);
    if (isHeld) {
      LockSupport.parkNanos(BETWEEN_NANOS);
    }
    var unused = lap.get();
    long end = System.nanoTime() + TURN_NANOS;
    while (System.nanoTime() < end && !work.isDone()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return lap.get();
  }

  private void hold(boolean isHeld) {
    if (isHeld == held) {
      return;
    }
    long now = System.nanoTime();
    if (isHeld) {
      heldSince = now;
    } else {
      heldBefore.addAndGet(now - heldSince);
    }
    held = isHeld;
  }
}
