package io.palinode.voldemort.server;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs requests that read much, apart from other requests. A few run at once, a few wait; others
 * are refused.
 */
final class BulkRequests implements AutoCloseable {
  /** Two, so that short requests do not wait for a long one. */
  private static final int THREADS = 2;

  private static final int WAITING_MAX = 6;

  /** As many requests at once, running and waiting. */
  static final int MAX = THREADS + WAITING_MAX;

  private final ThreadPoolExecutor executor;
  private final Duration closeTimeout;

  BulkRequests(String threadName, Duration closeTimeout) {
    this.closeTimeout = closeTimeout;
    this.executor =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_MAX),
            new DefaultThreadFactory(threadName, true));
  }

  /** False if the queue is full. */
  boolean offer(Runnable request) {
    try {
      executor.execute(request);
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  /** Drops waiting requests. Interrupts no thread: that would close the store's files. */
  @Override
  public void close() {
    executor.getQueue().clear();
    executor.shutdown();
    try {
      var unused = executor.awaitTermination(closeTimeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
