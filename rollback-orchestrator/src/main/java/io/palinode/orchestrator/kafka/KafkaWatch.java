package io.palinode.orchestrator.kafka;

import io.palinode.wire.KafkaSettings;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks Kafka every second whether it answers: consumers wait without a word. Thread-safe. */
final class KafkaWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(KafkaWatch.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(3);

  private final Admin admin;
  private final String brokers;
  private final LongSupplier wallMicros;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "palinode-kafka-watch");
            thread.setDaemon(true);
            return thread;
          });

  /** When the first question was asked that has no answer; 0: the last one was answered. */
  private volatile long silentSinceMicros;

  KafkaWatch(KafkaSettings kafka, String clientId, LongSupplier wallMicros) {
    this.admin = kafka.newAdmin(clientId);
    this.brokers = kafka.bootstrapServers();
    this.wallMicros = wallMicros;
  }

  void start() {
    var unused =
        clock.scheduleWithFixedDelay(
            this::ask, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** One sentence while Kafka does not answer; null: it does. */
  @Nullable String trouble() {
    long since = silentSinceMicros;
    return since == 0
        ? null
        : "Kafka (%s) has not answered for %d s; the orchestrator waits for it, and goes on when it answers"
            .formatted(brokers, silentMicros(since) / 1_000_000);
  }

  /** 0 while it answers. */
  double silentSeconds() {
    long since = silentSinceMicros;
    return since == 0 ? 0 : silentMicros(since) / 1e6;
  }

  private long silentMicros(long since) {
    return Math.max(0, wallMicros.getAsLong() - since);
  }

  private void ask() {
    long askedMicros = wallMicros.getAsLong();
    try {
      var unused =
          admin.describeCluster().clusterId().get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
      answered();
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      if (silentSinceMicros == 0) {
        silentSinceMicros = askedMicros;
        log.warn("kafka=SILENT brokers={} the orchestrator waits for it: {}", brokers, reason(e));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answered() {
    long since = silentSinceMicros;
    if (since != 0) {
      silentSinceMicros = 0;
      log.warn("kafka=ANSWERS brokers={} silent_ms={}", brokers, silentMicros(since) / 1_000);
    }
  }

  private static String reason(Exception e) {
    return e instanceof TimeoutException
        ? "no answer within " + ANSWER_MAX.toSeconds() + " s"
        : String.valueOf(e.getCause() == null ? e.getMessage() : e.getCause().getMessage());
  }

  @Override
  public void close() {
    clock.shutdownNow();
    admin.close(Duration.ZERO);
  }
}
