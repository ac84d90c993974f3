package io.palinode.cli.store;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Reports once that a request still waits for its answer, until it is closed. */
final class SlowAnswer implements AutoCloseable {
  private static final Duration SILENCE_MAX = Duration.ofSeconds(2);

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          report -> {
            Thread thread = new Thread(report, "palinode-slow-answer");
            thread.setDaemon(true);
            return thread;
          });

  SlowAnswer(PrintWriter err) {
    this(err, SILENCE_MAX);
  }

  SlowAnswer(PrintWriter err, Duration after) {
    var unused =
        timer.schedule(
            () -> {
              err.println(
                  "palinode: the nodes have not answered yet; if a rollback is open, it pauses them:"
                      + " see 'palinode status'");
              err.flush();
            },
            after.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
