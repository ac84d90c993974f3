package io.palinode.orchestrator.kafka;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends lines of the audit log to their topic, in order. Thread-safe; never blocks its caller. A
 * line that Kafka does not take is only in the log of the process, which then says so.
 */
final class AuditTopic implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AuditTopic.class);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final int WAITING_MAX = 1_000;
  private static final int RECORD_BYTES_MAX = 64 << 10;

  private final Producer<byte[], byte[]> producer;
  private final String topic;

  /** The producer waits for metadata while Kafka is down. */
  private final ThreadPoolExecutor thread;

  AuditTopic(KafkaSettings kafka, Topics topics, Duration appendMax) {
    this.producer =
        kafka.newBoundedProducer(topics.prefix() + "-audit-writer", appendMax, RECORD_BYTES_MAX);
    this.topic = topics.audit();
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_MAX),
            task -> {
              Thread made = new Thread(task, "palinode-audit");
              made.setDaemon(true);
              return made;
            },
            (task, full) -> log.warn("audit=NOT_WRITTEN {} other lines wait", WAITING_MAX));
  }

  void append(String line) {
    thread.execute(() -> send(line));
  }

  private void send(String line) {
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(topic, line.getBytes(StandardCharsets.UTF_8)),
              (metadata, e) -> {
                if (e != null) {
                  failed(e);
                }
              });
    } catch (KafkaException e) {
      failed(e);
    }
  }

  private static void failed(Exception e) {
    log.warn("audit=NOT_WRITTEN {}", e.toString());
  }

  /** Appends the lines that wait, within some seconds. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      thread.shutdownNow();
    }
    producer.close(CLOSE_MAX);
  }
}
