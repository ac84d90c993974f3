package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.wire.ControlKeys;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.signing.DecisionSigner;
import io.palinode.wire.v1.ControlRecord;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Appends to the control log. Thread-safe. Appends of one thread stay in order. */
final class ControlWriter implements AutoCloseable {
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final int PARTITION = 0;

  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final UnaryOperator<ControlRecord> naming;
  private final OnFailure onFailure;
  private final ControlKeys keys = new ControlKeys();
  private final SafePointKeys safePoints = new SafePointKeys(keys);

  /** Guarded by itself: the log has the decisions in the order of their signatures. */
  private final DecisionSigner signer;

  /**
   * @param naming may add to the reason of a record, which does not change its effect
   */
  ControlWriter(
      Producer<byte[], byte[]> producer,
      String topic,
      UnaryOperator<ControlRecord> naming,
      DecisionSigner signer,
      OnFailure onFailure) {
    this.producer = producer;
    this.topic = topic;
    this.naming = naming;
    this.signer = signer;
    this.onFailure = onFailure;
  }

  /** With a producer of its kind. The same arguments as the constructor. */
  static ControlWriter connect(
      KafkaSettings kafka,
      Topics topics,
      UnaryOperator<ControlRecord> naming,
      DecisionSigner signer,
      OnFailure onFailure) {
    Producer<byte[], byte[]> producer =
        kafka.newBoundedProducer(
            topics.prefix() + "-control-writer",
            Orchestrator.APPEND_MAX,
            TopicLayout.CONTROL_RECORD_BYTES_MAX);
    return new ControlWriter(producer, topics.control(), naming, signer, onFailure);
  }

  /** Called after a failed append, by the caller's or the producer's thread; must not block. */
  interface OnFailure {
    void failed(ControlRecord record, AppendFailure failure, String reason);
  }

  /** Does not wait for the broker, except for the topic's metadata within the producer's limit. */
  void append(ControlRecord record) {
    ProducerRecord<byte[], byte[]> bytes =
        new ProducerRecord<>(topic, PARTITION, key(record), naming.apply(record).toByteArray());
    try {
      synchronized (signer) {
        signer.sign(bytes);
        Future<RecordMetadata> unused =
            producer.send(
                bytes,
                (metadata, e) -> {
                  if (e != null) {
                    failed(record, e);
                  }
                });
      }
    } catch (KafkaException e) {
      failed(record, e);
    }
  }

  /** The next record of the log, and its key. */
  void read(byte @Nullable [] key, ControlRecord record) {
    safePoints.read(key, record);
  }

  private byte[] key(ControlRecord record) {
    return record.hasSafePoint() ? safePoints.next() : keys.of(record);
  }

  private void failed(ControlRecord record, Exception e) {
    onFailure.failed(record, AppendFailures.of(e), AppendFailures.reason(e));
  }

  @Override
  public void close() {
    producer.close(CLOSE_MAX);
  }
}
