package io.palinode.examples.graph.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs programs on threads one step at a time, in an order that follows from a seed: when all wait,
 * one of those whose pause is over may go. Time is virtual; what runs between two waits runs alone.
 */
final class Turnstile {
  private static final long STEP_NANOS = 20_000;
  private static final long STEPS_MAX = 500_000;
  private static final int NO_CLIENT = -1;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition[] granted;
  private final State[] states;
  private final long[] wakeNanos;
  private final Random random;
  private int next = NO_CLIENT;
  private long nowNanos;
  private long steps;

  private enum State {
    RUNS,
    WAITS,
    GONE
  }

  Turnstile(int players, long seed) {
    granted = new Condition[players];
    Arrays.setAll(granted, player -> lock.newCondition());
    states = new State[players];
    Arrays.fill(states, State.RUNS);
    wakeNanos = new long[players];
    random = new Random(seed);
  }

  Timing timing(int player) {
    return new Timing(this::nowNanos, nanos -> pause(player, nanos));
  }

  void step(int player) {
    pause(player, 0);
  }

  void pause(int player, long nanos) {
    lock.lock();
    try {
      states[player] = State.WAITS;
      wakeNanos[player] = nowNanos + nanos;
      grant();
      while (next != player) {
        granted[player].awaitUninterruptibly();
      }
      next = NO_CLIENT;
      states[player] = State.RUNS;
      if (steps++ > STEPS_MAX) {
        throw new AssertionError("no end after " + STEPS_MAX + " steps");
      }
    } finally {
      lock.unlock();
    }
  }

  /** The player's program has ended. */
  void leave(int player) {
    lock.lock();
    try {
      states[player] = State.GONE;
      grant();
    } finally {
      lock.unlock();
    }
  }

  long nowNanos() {
    lock.lock();
    try {
      return nowNanos;
    } finally {
      lock.unlock();
    }
  }

  private void grant() {
    List<Integer> waiting = new ArrayList<>();
    long firstWake = Long.MAX_VALUE;
    for (int player = 0; player < states.length; player++) {
      if (states[player] == State.RUNS) {
        return;
      }
      if (states[player] == State.WAITS) {
        waiting.add(player);
        firstWake = Math.min(firstWake, wakeNanos[player]);
      }
    }
    if (waiting.isEmpty()) {
      return;
    }
    nowNanos = Math.max(nowNanos, firstWake);
    waiting.removeIf(player -> wakeNanos[player] > nowNanos);
    next = waiting.get(random.nextInt(waiting.size()));
    nowNanos += STEP_NANOS;
    granted[next].signal();
  }
}
