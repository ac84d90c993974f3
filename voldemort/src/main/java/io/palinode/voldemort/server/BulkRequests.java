package io.palinode.voldemort.server;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs what goes through much, beside the requests that clients wait for: few at once, few that
 * wait, and no more.
 */
final class BulkRequests implements AutoCloseable {
  /** Two, so that a long one does not keep the short ones waiting. */
  static final int THREADS = 2;

  static final int WAITING_MAX = 6;

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

  /** False when there is no room for one more. */
  boolean offer(Runnable request) {
    try {
      executor.execute(request);
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  /** What waits is dropped. Never by an interrupt: it would close the store's files. */
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
