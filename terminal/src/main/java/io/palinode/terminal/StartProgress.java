package io.palinode.terminal;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reports every 10 s which step a start is still at, and for how long: a start has no time limit.
 * Open from the beginning of the first step to the end of the last one.
 */
public final class StartProgress implements AutoCloseable {
  /** For what wants a limit. */
  public static final Duration NO_LIMIT = Duration.ofDays(3_650);

  private static final Duration EVERY = Duration.ofSeconds(10);

  private final Consumer<String> say;
  private final long everyNanos;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Step step;

  private record Step(String name, long sinceNanos) {}

  private StartProgress(String first, Consumer<String> say, Duration every) {
    this.say = say;
    this.everyNanos = every.toNanos();
    this.step = new Step(first, System.nanoTime());
  }

  /** {@code first} names the first step: {@code starting Kafka}. */
  public static StartProgress of(String first, Consumer<String> say) {
    return of(first, say, EVERY);
  }

  static StartProgress of(String first, Consumer<String> say, Duration every) {
    StartProgress progress = new StartProgress(first, say, every);
    Thread thread = new Thread(progress::run, "palinode-start");
    thread.setDaemon(true);
    thread.start();
    return progress;
  }

  public void step(String name) {
    step = new Step(name, System.nanoTime());
  }

  @Override
  public void close() {
    closed.countDown();
  }

  private void run() {
    try {
      while (!closed.await(everyNanos, TimeUnit.NANOSECONDS)) {
        Step now = step;
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - now.sinceNanos());
        say.accept("still %s after %d s; Ctrl-C stops".formatted(now.name(), seconds));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
