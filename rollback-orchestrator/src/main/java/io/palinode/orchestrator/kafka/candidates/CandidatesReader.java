package io.palinode.orchestrator.kafka.candidates;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.history.Neighbourhood;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Violation;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;

/** Reads the neighbourhoods of violations from the candidates topic. Thread-safe. */
public final class CandidatesReader {
  private static final int AT_ONCE_MAX = 2;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(3);
  private static final Duration READ_MAX = Duration.ofSeconds(4);
  private static final Duration POLL = Duration.ofMillis(100);

  /** Nodes publish a candidate later than its time, and their clocks differ from Kafka's. */
  private static final long MARGIN_MS = 3_000;

  private static final long MICROS_PER_MS = 1_000;

  private final KafkaSettings kafka;
  private final Topics topics;
  private final Semaphore turns = new Semaphore(AT_ONCE_MAX);

  public CandidatesReader(KafkaSettings kafka, Topics topics) {
    this.kafka = kafka;
    this.topics = topics;
  }

  /**
   * Returns what the topic still has, within 10 s. Throws {@link UnavailableException} if Kafka
   * does not answer, or too many are being read.
   */
  public Neighbourhood around(Violation violation) {
    if (!turns.tryAcquire()) {
      throw new UnavailableException(
          "too many neighbourhoods are being read: %d, limit %d; repeat the request"
              .formatted(AT_ONCE_MAX, AT_ONCE_MAX));
    }
    try (Consumer<byte[], byte[]> consumer =
        kafka.newConsumer(topics.prefix() + "-neighbourhood")) {
      Neighbourhood found = new Neighbourhood(violation);
      read(consumer, found);
      return found;
    } catch (AuthorizationException e) {
      throw new UnavailableException(
          "the orchestrator has no right to read '%s'; run 'palinode kafka acls'"
              .formatted(topics.candidates()),
          e);
    } catch (KafkaException e) {
      throw new UnavailableException(
          "cannot read '%s': %s".formatted(topics.candidates(), e.getMessage()), e);
    } finally {
      turns.release();
    }
  }

  private void read(Consumer<byte[], byte[]> consumer, Neighbourhood found) {
    byte[] key = found.key();
    int partitions = consumer.partitionsFor(topics.candidates(), ANSWER_MAX).size();
    TopicPartition partition =
        new TopicPartition(topics.candidates(), CandidateRecords.partition(key, partitions));
    List<TopicPartition> only = List.of(partition);
    long beginning = consumer.beginningOffsets(only, ANSWER_MAX).getOrDefault(partition, 0L);
    long present = consumer.endOffsets(only, ANSWER_MAX).getOrDefault(partition, 0L);
    long start = offsetAt(consumer, partition, found.from(), -MARGIN_MS, present);
    long end = offsetAt(consumer, partition, found.to(), MARGIN_MS, present);
    // The oldest record of the topic may be younger than the span.
    if (start == beginning && beginning > 0) {
      found.incomplete();
    }
    consumer.assign(only);
    consumer.seek(partition, start);
    long deadline = System.nanoTime() + READ_MAX.toNanos();
    while (consumer.position(partition, ANSWER_MAX) < end) {
      if (System.nanoTime() > deadline) {
        found.incomplete();
        return;
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        if (Arrays.equals(record.key(), key)) {
          read(record, found);
        }
      }
    }
  }

  /** The first record at or after this time; the present end if there is none. */
  private static long offsetAt(
      Consumer<byte[], byte[]> consumer,
      TopicPartition partition,
      long hlc,
      long moreMs,
      long present) {
    long atMs = Math.max(0, Hlc.micros(hlc) / MICROS_PER_MS + moreMs);
    OffsetAndTimestamp at =
        consumer.offsetsForTimes(Map.of(partition, atMs), ANSWER_MAX).get(partition);
    return at == null ? present : at.offset();
  }

  private static void read(ConsumerRecord<byte[], byte[]> record, Neighbourhood found) {
    try {
      if (record.value() != null) {
        found.read(CandidateRecord.parseFrom(record.value()));
      }
    } catch (InvalidProtocolBufferException | IllegalArgumentException unreadable) {
      found.incomplete();
    }
  }
}
