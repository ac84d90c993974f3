package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.FailedPart;
import io.palinode.orchestrator.JobFeed;
import io.palinode.orchestrator.Judgement;
import io.palinode.orchestrator.MachineState;
import io.palinode.orchestrator.NodeStatus;
import io.palinode.orchestrator.WaitAlerts;
import io.palinode.orchestrator.Waits;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.v1.ViolationRecord;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.KafkaException;

/**
 * Collects what {@link Waits} decides from. Its thread asks Kafka for a sign of life twice per
 * second, and raises an alert for what stands still. Thread-safe.
 */
final class JudgementWatch implements AutoCloseable {
  private static final Duration EVERY = Duration.ofMillis(500);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(3);

  private final Supplier<MachineState> state;
  private final Supplier<List<NodeStatus>> joined;
  private final LongSupplier wallMicros;
  private final Consumer<Alert> raise;
  private final Admin admin;
  private final long startedMicros;
  private final Thread thread;
  private final ConcurrentMap<String, FailedPart> failed = new ConcurrentHashMap<>();

  /** Written by the thread that reads the violations topic. */
  private volatile JobFeed job = JobFeed.NONE;

  private volatile long unreachableSinceMicros;
  private volatile boolean closed;

  JudgementWatch(
      KafkaSettings kafka,
      Supplier<MachineState> state,
      Supplier<List<NodeStatus>> joined,
      LongSupplier wallMicros,
      Consumer<Alert> raise) {
    this.state = state;
    this.joined = joined;
    this.wallMicros = wallMicros;
    this.raise = raise;
    this.admin = kafka.newAdmin("palinode-judgement-watch");
    this.startedMicros = wallMicros.getAsLong();
    this.thread = new Thread(this::run, "palinode-judgement-watch");
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** A record of the violations topic; called by one thread. */
  void read(ViolationRecord record, long writtenMicros) {
    job = job.after(record, writtenMicros, wallMicros.getAsLong());
  }

  /** The first failure of a part counts until it runs again. */
  void failed(String name, FailedPart part) {
    failed.merge(
        name,
        part,
        (first, latest) ->
            new FailedPart(latest.name(), latest.node(), first.sinceMicros(), latest.reason()));
  }

  void runs(String name) {
    failed.remove(name);
  }

  Judgement now() {
    return Waits.of(
        new Waits.Known(
            state.get(),
            job,
            joined.get(),
            List.copyOf(failed.values()),
            unreachableSinceMicros,
            startedMicros,
            wallMicros.getAsLong()));
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    admin.close(Duration.ZERO);
    try {
      thread.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    WaitAlerts alerts = new WaitAlerts(startedMicros);
    long answeredMicros = startedMicros;
    try {
      while (!closed) {
        if (answers()) {
          answeredMicros = wallMicros.getAsLong();
          unreachableSinceMicros = 0;
        } else {
          unreachableSinceMicros = answeredMicros;
        }
        if (!closed && state.get().live()) {
          alerts.due(now()).forEach(raise);
        }
        TimeUnit.NANOSECONDS.sleep(EVERY.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean answers() throws InterruptedException {
    try {
      admin
          .describeCluster(new DescribeClusterOptions().timeoutMs((int) ANSWER_MAX.toMillis()))
          .clusterId()
          .get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException | KafkaException | IllegalStateException e) {
      // Also when the admin client is closed.
      return false;
    }
  }
}
