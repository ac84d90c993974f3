package io.palinode.benchmarks.online;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Kafka alone: as many records as the nodes write, of the same size and with the same settings, to
 * a listener. As often as a candidate completes a violation, a record's time is taken.
 */
final class RoundTrip {
  /** An opening is about this long. */
  private static final int RECORD_BYTES = 160;

  /** An opening and a closing. */
  private static final int RECORDS_PER_CANDIDATE = 2;

  private static final Duration WAIT_MAX = Duration.ofSeconds(20);

  private final KafkaSettings nodes;
  private final KafkaSettings listener;
  private final String topic;
  private final Histogram micros = new SynchronizedHistogram(3_600_000_000L, 3);

  /**
   * @param nodes how nodes write
   * @param listener how the orchestrator reads
   */
  RoundTrip(KafkaSettings nodes, KafkaSettings listener, String topic) {
    this.nodes = nodes;
    this.listener = listener;
    this.topic = topic;
  }

  Latency run(int producers, double rate, double seconds) throws InterruptedException {
    List<Producer<byte[], byte[]>> all =
        IntStream.range(0, producers).mapToObj(i -> nodes.newProducer("round-trip-" + i)).toList();
    LogTail.Source source = LogTail.Source.partition(topic, 0, LogTail.From.END);
    try (LogTail tail = new LogTail("round-trip", listener, source, this::received)) {
      tail.start();
      if (!tail.awaitCaughtUp(WAIT_MAX)) {
        throw new IllegalStateException("the topic must be there: topic=" + topic, tail.failure());
      }
      OpenLoop loop = new OpenLoop(rate, seconds);
      loop.run(index -> send(all.get((int) (index % all.size())), loop, index));
      Await.until(
          () -> micros.getTotalCount() == loop.steps() / MutexTraffic.COMPLETES_ONE_IN, WAIT_MAX);
    } finally {
      all.forEach(producer -> producer.close(Duration.ofSeconds(2)));
    }
    return Latency.of(micros);
  }

  private void send(Producer<byte[], byte[]> producer, OpenLoop loop, long index) {
    for (int i = 0; i < RECORDS_PER_CANDIDATE; i++) {
      boolean isTimed = i == 0 && MutexTraffic.completes(index);
      byte[] value =
          ByteBuffer.allocate(RECORD_BYTES).putLong(isTimed ? loop.dueNanos(index) : 0).array();
      var unused = producer.send(new ProducerRecord<>(topic, 0, null, value));
    }
  }

  private void received(ConsumerRecord<byte[], byte[]> record) {
    long now = System.nanoTime();
    long due = ByteBuffer.wrap(record.value()).getLong();
    if (due != 0) {
      micros.recordValue(Math.max(0, (now - due) / 1_000));
    }
  }
}
