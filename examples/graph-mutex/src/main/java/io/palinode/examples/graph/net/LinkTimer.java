package io.palinode.examples.graph.net;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that delivers messages when they are due, those with equal times in the order in which
 * they came. Thread-safe. A delivery that throws stops the timer, and the next {@link #at} throws.
 */
final class LinkTimer implements DelayedLinks.Schedule, AutoCloseable {
  static final int IN_FLIGHT_MAX = 100_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final PriorityQueue<Message> inFlight = new PriorityQueue<>();
  private final Thread thread;
  private long sequence;
  private boolean closed;
  private @Nullable Throwable failure;

  LinkTimer() {
    thread = new Thread(this::run, "network");
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((dead, cause) -> stop(cause));
  }

  void start() {
    thread.start();
  }

  /** After {@link #close} messages are dropped, as on a cut wire. */
  @Override
  public void at(long dueNanos, Runnable delivery) {
    lock.lock();
    try {
      if (failure != null) {
        throw new IllegalStateException("the network stopped when a delivery failed", failure);
      }
      if (inFlight.size() >= IN_FLIGHT_MAX) {
        throw new IllegalStateException(
            "messages in flight must be at most " + IN_FLIGHT_MAX + ": one more was sent");
      }
      if (!closed) {
        Message message = new Message(dueNanos, sequence++, delivery);
        inFlight.add(message);
        if (message.equals(inFlight.peek())) {
          changed.signal();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns when the thread has ended, unless it is the thread itself that closes. */
  @Override
  public void close() {
    stop(null);
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stop(@Nullable Throwable cause) {
    lock.lock();
    try {
      closed = true;
      failure = cause;
      inFlight.clear();
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    for (Message next = awaitNext(); next != null; next = awaitNext()) {
      next.delivery().run();
    }
  }

  /** Null when closed. No code interrupts this thread. */
  private @Nullable Message awaitNext() {
    lock.lock();
    try {
      while (!closed) {
        Message head = inFlight.peek();
        long waitNanos = head == null ? Long.MAX_VALUE : head.dueNanos() - System.nanoTime();
        if (head != null && waitNanos <= 0) {
          return inFlight.poll();
        }
        changed.await(waitNanos, TimeUnit.NANOSECONDS);
      }
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      lock.unlock();
    }
  }

  private record Message(long dueNanos, long sequence, Runnable delivery)
      implements Comparable<Message> {
    @Override
    public int compareTo(Message other) {
      // By difference: nanoTime may wrap.
      int byTime = Long.signum(dueNanos - other.dueNanos);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }
}
