package io.palinode.detector.kafka;

import io.palinode.detector.ring.CandidateEncoder;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes emissions to the candidates topic in the order it is given them. For one thread.
 *
 * <p>If the broker refuses a record, an event returns to the detector and a gap to the ring. Both
 * are published again before the next progress. An event too long for a record becomes a gap in its
 * place.
 */
final class CandidateWriter {
  static final int RECORD_BYTES_MAX = 256 << 10;

  private static final Logger log = LoggerFactory.getLogger(CandidateWriter.class);

  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final CandidateEncoder encoder;
  private final CandidateRing ring;
  private final Consumer<Emission.Event> eventLost;
  private final Answers answers;
  private final LongAdder refused = new LongAdder();
  private final LongAdder progress = new LongAdder();

  CandidateWriter(
      Producer<byte[], byte[]> producer,
      String topic,
      CandidateEncoder encoder,
      CandidateRing ring,
      Consumer<Emission.Event> eventLost) {
    this.producer = producer;
    this.topic = topic;
    this.encoder = encoder;
    this.ring = ring;
    this.eventLost = eventLost;
    this.answers = new Answers(ring.partitions());
  }

  /** Waits while the producer's buffer is full. True for a candidate. */
  boolean write(Emission emission) {
    if (emission instanceof Opened opened) {
      write(opened, encoder.opened(opened));
    } else if (emission instanceof Closed closed) {
      write(closed, encoder.closed(closed));
    } else if (emission instanceof KeyState state) {
      write(state, encoder.keyState(state));
    } else if (emission instanceof Gap gap) {
      write(gap);
    } else if (emission instanceof Progress reached) {
      write(reached);
    }
    return emission instanceof Emission.Event;
  }

  /**
   * Publishes {@code Stopped} with {@code last} in every partition once all records are answered.
   * False if a record did not arrive, which prevents {@code Stopped}, or if the broker does not
   * answer within twice {@code max}. No record may be written after it.
   */
  boolean writeStopped(Progress last, Duration max) throws InterruptedException {
    if (!answers.awaitAll(max) || !ring.isEmpty()) {
      return false;
    }
    for (int partition = 0; partition < ring.partitions(); partition++) {
      byte[] value = encoder.stopped(last, partition).toByteArray();
      send(new ProducerRecord<>(topic, partition, null, value), () -> {});
    }
    return answers.awaitAll(max);
  }

  /**
   * Publishes in every partition why the node publishes no progress. Does not wait for an answer,
   * and does not count for {@link #awaitRecorded}.
   */
  void writeUnpromised(long sinceMicros) {
    byte[] value = encoder.unpromised(sinceMicros).toByteArray();
    for (int partition = 0; partition < ring.partitions(); partition++) {
      Future<RecordMetadata> unused =
          producer.send(new ProducerRecord<>(topic, partition, null, value));
    }
  }

  /**
   * Waits until every partition holds a record of this incarnation; false after {@code max}. By any
   * thread.
   */
  boolean awaitRecorded(Duration max) throws InterruptedException {
    return answers.awaitEachPartition(max);
  }

  private void write(Emission.Event event, CandidateRecord record) {
    byte[] value = record.toByteArray();
    if (value.length > RECORD_BYTES_MAX) {
      // No event is that long. A late event would fail again and again, so publish a gap.
      noteRefused("a candidate record is too long: bytes=" + value.length);
      write(event.lost());
    } else {
      send(event, value);
    }
  }

  private void write(Gap gap) {
    byte[] value = encoder.gap(gap).toByteArray();
    send(new ProducerRecord<>(topic, gap.partition(), null, value), () -> ring.lost(gap));
  }

  private void send(Emission.Event event, byte[] value) {
    byte[] key = CandidateRecords.keyBytes(event.instance());
    send(new ProducerRecord<>(topic, event.partition(), key, value), () -> eventLost.accept(event));
  }

  private void write(Progress reached) {
    for (int partition = 0; partition < ring.partitions(); partition++) {
      byte[] value = encoder.progress(reached, partition).toByteArray();
      send(new ProducerRecord<>(topic, partition, null, value), () -> {});
    }
    progress.increment();
  }

  /** Sends a record; {@code lost} runs if the broker refuses it. */
  private void send(ProducerRecord<byte[], byte[]> record, Runnable lost) {
    answers.asked();
    // The callback receives the result of the future.
    Future<RecordMetadata> unused =
        producer.send(record, (metadata, failure) -> answered(record.partition(), lost, failure));
  }

  private void answered(int partition, Runnable lost, @Nullable Exception failure) {
    if (failure == null) {
      answers.taken(partition);
      return;
    }
    noteRefused(failure.toString());
    lost.run();
    // Last: writeStopped waits for the answers, then checks for gaps.
    answers.refused();
  }

  private void noteRefused(String reason) {
    refused.increment();
    if (refused.sum() == 1) {
      log.error("node={} topic={} refused reason={}", encoder.node(), topic, reason);
    }
  }

  /** Records that were refused. */
  long refused() {
    return refused.sum();
  }

  /** Times that progress was written to all partitions. */
  long progress() {
    return progress.sum();
  }
}
