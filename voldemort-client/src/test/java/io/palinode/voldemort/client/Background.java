package io.palinode.voldemort.client;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Calls that run in the background of a test. */
final class Background implements AutoCloseable {
  private static final int ENDS_WITHIN_SECONDS = 20;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  <T extends @Nullable Object> Future<T> start(Callable<T> call) {
    return threads.submit(call);
  }

  /** Waits for the result, or throws what the call threw. */
  static <T extends @Nullable Object> T end(Future<T> call) {
    try {
      return call.get(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("the call did not end", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
