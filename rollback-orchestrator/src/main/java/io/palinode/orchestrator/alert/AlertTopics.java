package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.alert.Receiver.Answer;
import io.palinode.orchestrator.alert.Receiver.Outcome;
import io.palinode.orchestrator.history.ViolationAlert;
import io.palinode.wire.KafkaSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Appends alerts to topics of Kafka: CloudEvents in the structured mode of their Kafka binding. All
 * records of one cause have one key and are thus in order. Thread-safe. The first append opens the
 * connection.
 */
final class AlertTopics implements AutoCloseable {
  private static final String CLIENT_ID = "palinode-alerts";
  private static final String CONTENT_TYPE = "content-type";
  private static final int RECORD_BYTES_MAX = 1 << 20;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final KafkaSettings kafka;
  private final Duration appendMax;
  private @Nullable Producer<byte[], byte[]> producer;
  private boolean closed;

  /**
   * @param appendMax of one attempt; half of it more while the topic is not known
   */
  AlertTopics(KafkaSettings kafka, Duration appendMax) {
    this.kafka = kafka;
    this.appendMax = appendMax;
  }

  /** Appends the alerts of batches of one. */
  Receiver.Sender topic(String topic, Supplier<Format.About> about) {
    // Not in the caller's thread: an append waits for the topic's metadata.
    return batch -> CompletableFuture.supplyAsync(() -> append(topic, batch, about.get()));
  }

  private Answer append(String topic, List<Alert> batch, Format.About about) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    try {
      var unused =
          producer()
              .send(
                  record(topic, batch, about),
                  (written, e) -> answer.complete(e == null ? taken(written) : failed(e)));
    } catch (KafkaException | IllegalStateException e) {
      // The second one: it is closed.
      return failed(e);
    }
    return answer.join();
  }

  private static ProducerRecord<byte[], byte[]> record(
      String topic, List<Alert> batch, Format.About about) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, utf8(key(batch.get(0))), Format.KAFKA.body(batch, about));
    record.headers().add(new RecordHeader(CONTENT_TYPE, utf8(Format.KAFKA.contentType())));
    return record;
  }

  /** The episode of a violation; else the cause. */
  static String key(Alert alert) {
    return Objects.requireNonNullElseGet(
        alert.labels().get(ViolationAlert.EPISODE), () -> Payload.fingerprint(alert));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Answer taken(RecordMetadata written) {
    return new Answer(
        Outcome.TAKEN, "partition %d, offset %d".formatted(written.partition(), written.offset()));
  }

  private static Answer failed(Exception e) {
    return new Answer(
        e instanceof RetriableException ? Outcome.TRY_AGAIN : Outcome.REFUSED,
        Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName()));
  }

  private synchronized Producer<byte[], byte[]> producer() {
    if (closed) {
      throw new IllegalStateException("the orchestrator is closed");
    }
    Producer<byte[], byte[]> open = producer;
    if (open == null) {
      open = kafka.newBoundedProducer(CLIENT_ID, appendMax, RECORD_BYTES_MAX);
      producer = open;
    }
    return open;
  }

  /** Ends appends within 2 s. */
  @Override
  public void close() {
    Producer<byte[], byte[]> open;
    synchronized (this) {
      closed = true;
      open = producer;
    }
    if (open != null) {
      open.close(CLOSE_MAX);
    }
  }
}
