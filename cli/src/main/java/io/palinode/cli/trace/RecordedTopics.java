package io.palinode.cli.trace;

import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecordCheck;
import io.palinode.wire.RecordChecks;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.PredicateRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads candidates into a recording. Bounds their versions by those in the predicates topic, whose
 * records are read first, and again if a candidate has a later version. Not thread-safe.
 */
final class RecordedTopics {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

  private final Consumer<byte[], byte[]> consumer;
  private final String predicate;
  private final Recording recording;
  private final RefusedRecords refused = new RefusedRecords();
  private final RecordReader<CandidateRecord> candidates =
      new RecordReader<>(
          CandidateRecord.parser(),
          CandidateRecordCheck::requireOfSomeCluster,
          Hvc.NODES_MAX,
          refused);
  private final RecordReader<PredicateRecord> predicates =
      new RecordReader<>(PredicateRecord.parser(), RecordChecks::predicate, Hvc.NODES_MAX, refused);
  private List<TopicPartition> ofCandidates = List.of();
  private List<TopicPartition> ofPredicates = List.of();
  private Map<TopicPartition, Long> ends = Map.of();

  RecordedTopics(Consumer<byte[], byte[]> consumer, String predicate, Recording recording) {
    this.consumer = consumer;
    this.predicate = predicate;
    this.recording = recording;
  }

  /** Both topics from their beginning. */
  void start() {
    ofCandidates = partitions(Topics.DEFAULT.candidates());
    ofPredicates = partitions(Topics.DEFAULT.predicates());
    List<TopicPartition> all = new ArrayList<>(ofCandidates);
    all.addAll(ofPredicates);
    consumer.assign(all);
    consumer.seekToBeginning(all);
    ends = consumer.endOffsets(ofCandidates, ANSWER_MAX);
    readPredicates();
  }

  /** Whether it has read all candidates that were there at its start. */
  boolean isAtEnd() {
    return isAt(ends);
  }

  RefusedRecords refused() {
    return refused;
  }

  /** Reads the next candidates. Throws {@link IllegalStateException} if they are too many. */
  void poll() {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      CandidateRecord candidate = candidates.checked(record);
      if (candidate != null) {
        read(record, candidate);
      }
    }
  }

  private void read(ConsumerRecord<byte[], byte[]> record, CandidateRecord candidate) {
    // A node writes candidates after it has read their version, so its record is there.
    if (recording.isAhead(candidate)) {
      readPredicates();
    }
    try {
      recording.read(record.partition(), candidate);
    } catch (IllegalArgumentException e) {
      refused.refuse(record, RefusedRecords.Reason.ABSURD, e);
    }
  }

  private void readPredicates() {
    Map<TopicPartition, Long> now = consumer.endOffsets(ofPredicates, ANSWER_MAX);
    consumer.pause(ofCandidates);
    consumer.resume(ofPredicates);
    while (!isAt(now)) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        predicates.read(record, this::read);
      }
    }
    consumer.pause(ofPredicates);
    consumer.resume(ofCandidates);
  }

  private void read(PredicateRecord record) {
    if (record.getName().equals(predicate)) {
      recording.applied(record.getVersion(), record.getAppliedAtMicros());
    }
  }

  private boolean isAt(Map<TopicPartition, Long> offsets) {
    return offsets.entrySet().stream()
        .noneMatch(end -> consumer.position(end.getKey(), ANSWER_MAX) < end.getValue());
  }

  private List<TopicPartition> partitions(String topic) {
    return consumer.partitionsFor(topic, ANSWER_MAX).stream()
        .map(of -> new TopicPartition(of.topic(), of.partition()))
        .toList();
  }
}
