package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.health.FailedPart;
import io.palinode.orchestrator.health.JobFeed;
import io.palinode.orchestrator.health.Judgement;
import io.palinode.orchestrator.health.NodeReports;
import io.palinode.orchestrator.health.UnjudgedOperations;
import io.palinode.orchestrator.health.Versions;
import io.palinode.orchestrator.health.WaitAlerts;
import io.palinode.orchestrator.health.Waits;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.Build;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Repeated;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.ViolationRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the input of {@link Waits}, and raises alerts for waits that stand still. Thread-safe.
 * Its thread checks twice per second whether Kafka answers.
 */
final class JudgementWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JudgementWatch.class);
  private static final Duration EVERY = Duration.ofMillis(500);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(2);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(3);

  private final Supplier<MachineState> state;
  private final Supplier<NodeReports.Nodes> nodes;
  private final LongSupplier wallMicros;
  private final Consumer<Alert> raise;
  private final Admin admin;
  private final String brokers;
  private final long startedMicros;
  private final Thread thread;
  private final ConcurrentMap<String, FailedPart> failed = new ConcurrentHashMap<>();

  /** Written by the thread that reads the violations topic. */
  private volatile JobFeed job = JobFeed.NONE;

  private volatile Supplier<List<UnjudgedOperations>> unjudged = List::of;
  private volatile long unreachableSinceMicros;
  private volatile long answersSinceMicros;
  private volatile long setBackSinceMicros;
  private volatile boolean closed;

  JudgementWatch(
      KafkaSettings kafka,
      Supplier<MachineState> state,
      Supplier<NodeReports.Nodes> nodes,
      LongSupplier wallMicros,
      Consumer<Alert> raise) {
    this.state = state;
    this.nodes = nodes;
    this.wallMicros = wallMicros;
    this.raise = raise;
    this.admin = kafka.newAdmin("palinode-judgement-watch");
    this.brokers = kafka.bootstrapServers();
    this.startedMicros = wallMicros.getAsLong();
    this.thread = new Thread(this::run, "palinode-judgement-watch");
    this.thread.setDaemon(true);
  }

  /**
   * @param unjudged raises alerts of these too
   */
  void start(Supplier<List<UnjudgedOperations>> unjudged) {
    this.unjudged = unjudged;
    thread.start();
  }

  /** Reads a record of the violations topic. Call from one thread. */
  void read(ViolationRecord record, long writtenMicros) {
    job = job.after(record, writtenMicros, wallMicros.getAsLong());
  }

  /** Adds a failed part; its first failure counts until the part runs again. */
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

  /** The release of each part by its name; {@code nodes} has those of nodes. */
  Map<String, String> versions(Map<Integer, String> nodes) {
    JudgementReport report = job.report();
    Map<String, String> versions = new LinkedHashMap<>();
    versions.put("orchestrator", Versions.shown(Build.VERSION));
    if (report != null) {
      versions.put("detection", Versions.shown(report.getVersion()));
    }
    nodes.forEach((node, version) -> versions.put("node " + node, version));
    return versions;
  }

  /** What other machines may do without proof: at the detection job, and {@code atNodes}. */
  List<String> open(List<String> atNodes) {
    JudgementReport report = job.report();
    if (report == null || report.getOpen().isEmpty()) {
      return atNodes;
    }
    List<String> open = new ArrayList<>(atNodes);
    open.add("detection: " + NodeReports.visible(report.getOpen()));
    return open;
  }

  Judgement now() {
    return Waits.of(
        new Waits.Known(
            state.get(),
            job,
            nodes.get(),
            List.copyOf(failed.values()),
            unreachableSinceMicros,
            answersSinceMicros(),
            setBackSinceMicros,
            startedMicros,
            wallMicros.getAsLong()));
  }

  /** Since when Kafka has answered, or did until {@link #trouble}; wall clock. */
  long answersSinceMicros() {
    return Math.max(startedMicros, answersSinceMicros);
  }

  /** One sentence while Kafka does not answer; null if it does. */
  @Nullable String trouble() {
    long since = unreachableSinceMicros;
    return since == 0
        ? null
        : "Kafka (%s) has not answered for %d s; the orchestrator continues when it answers"
            .formatted(brokers, silentMicros(since) / 1_000_000);
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
    WaitAlerts waits = new WaitAlerts(startedMicros);
    UnjudgedOperations.Alerts operations = new UnjudgedOperations.Alerts();
    // Each by itself: alerts that cannot be raised leave health and status correct.
    Repeated comparing =
        new Repeated("comparison of the clock", () -> compareClock(wallMicros.getAsLong()));
    Repeated raising = new Repeated("alerts of waits", () -> raise(waits, operations));
    long answeredMicros = startedMicros;
    try {
      while (!closed) {
        if (answers()) {
          answeredMicros = wallMicros.getAsLong();
          answered();
        } else {
          silent(answeredMicros);
        }
        comparing.run();
        raising.run();
        TimeUnit.NANOSECONDS.sleep(EVERY.toNanos());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void compareClock(long now) {
    if (!Waits.isSetBack(state.get(), now)) {
      setBackSinceMicros = 0;
    } else if (setBackSinceMicros == 0) {
      setBackSinceMicros = now;
    }
  }

  private void raise(WaitAlerts waits, UnjudgedOperations.Alerts operations) {
    if (!closed && state.get().live()) {
      waits.due(now()).forEach(raise);
      operations.due(unjudged.get(), wallMicros.getAsLong()).forEach(raise);
    }
  }

  private void answered() {
    long since = unreachableSinceMicros;
    if (since != 0) {
      unreachableSinceMicros = 0;
      answersSinceMicros = wallMicros.getAsLong();
      log.warn("kafka=ANSWERS brokers={} silent_ms={}", brokers, silentMicros(since) / 1_000);
    }
  }

  private void silent(long sinceMicros) {
    if (unreachableSinceMicros == 0 && !closed) {
      log.warn("kafka=SILENT brokers={} the orchestrator waits for it", brokers);
    }
    unreachableSinceMicros = sinceMicros;
  }

  private long silentMicros(long since) {
    return Math.max(0, wallMicros.getAsLong() - since);
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
