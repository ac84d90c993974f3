package io.palinode.launcher;

import io.palinode.launcher.embedded.EmbeddedFlink;
import java.io.IOException;
import org.apache.flink.api.common.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * The detection job on a Flink cluster in this process, which is started again when it has ended.
 */
final class RestartableJob implements WatchedPart, AutoCloseable {
  private final Start start;
  private EmbeddedFlink flink;
  private boolean closed;

  /** Starts a cluster with the job, from its latest checkpoint. */
  @FunctionalInterface
  interface Start {
    EmbeddedFlink start() throws IOException;
  }

  RestartableJob(Start start) throws IOException {
    this.start = start;
    this.flink = start.start();
  }

  synchronized EmbeddedFlink flink() {
    return flink;
  }

  @Override
  public String name() {
    return "the detection job";
  }

  @Override
  public @Nullable Integer node() {
    return null;
  }

  @Override
  public Condition look() {
    try {
      JobStatus status = flink().ask();
      return switch (status) {
        // A job that starts and never publishes is found by its silence.
        case INITIALIZING, CREATED, RUNNING -> Condition.RUNS;
        case FAILING, FAILED, CANCELLING, CANCELED, FINISHED, RESTARTING, SUSPENDED, RECONCILING ->
            new Condition(reason(status), status.isGloballyTerminalState());
      };
    } catch (IOException e) {
      // A busy machine, or a cluster that is gone: the status shows which, once Flink answers.
      return new Condition(String.valueOf(e.getMessage()), !isAnswerLate(e));
    }
  }

  private String reason(JobStatus status) {
    String failure = flink().failure();
    return status + (failure == null ? "" : ": " + failure.lines().findFirst().orElse(""));
  }

  private static boolean isAnswerLate(IOException e) {
    return e.getCause() instanceof java.util.concurrent.TimeoutException;
  }

  @Override
  public synchronized void restart() throws IOException {
    if (!closed) {
      flink.close();
      flink = start.start();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    flink.close();
  }
}
