package io.palinode.benchmarks;

import io.palinode.benchmarks.StoreLoad.Lap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Work that is held for half a second and goes on for half a second, in turn, until it is done: so
 * what clients get with it and without it is measured in the same minute, and what else the machine
 * does falls on both. For one piece of work, whose threads call {@link #pass} often.
 */
final class Alternation {
  private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** What the work had begun is over by then. */
  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final CompletableFuture<?> NEVER = new CompletableFuture<>();

  private final Supplier<Lap> lap;
  private volatile boolean held = true;
  private volatile long heldSince = System.nanoTime();
  private final AtomicLong heldBefore = new AtomicLong();

  /**
   * What clients got.
   *
   * @param with while the work went on: its time is how long the work took
   */
  record Laps(Lap with, Lap without) {}

  /**
   * @param lap ends a lap and begins the next
   */
  Alternation(Supplier<Lap> lap) {
    this.lap = lap;
  }

  /** For threads that work: returns when they may go on; always true. */
  boolean pass() {
    while (held) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }

  /** For threads that work: returns after so long, and when they may go on. */
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
    Lap without = turn(true, NEVER);
    Lap with = turn(false, work);
    while (!work.isDone()) {
      without = without.plus(turn(true, NEVER));
      with = with.plus(turn(false, work));
    }
    return new Laps(with, without);
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
