package io.palinode.demo.watch;

import com.google.protobuf.ByteString;
import io.palinode.terminal.Refusal;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.LogTail.Source;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CandidateRecord.EventCase;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.Witness;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * When each version of a cell was accepted by its first node. The clients' log knows a write by
 * that time, while a witness by {@code replicas: any} may be a copy on another node, which began
 * later: maybe after the client had written the next value.
 */
public final class FirstAcceptances {
  private static final Duration READ_MAX = Duration.ofSeconds(60);

  private final Map<Version, Long> acceptedAt = new HashMap<>();

  /**
   * A cell's version count restarts after a rollback, hence the epoch, and after a delete, hence
   * the time.
   */
  private record Version(long epoch, ByteString key, ByteString clock, long timestampMs) {
    static Version of(long epoch, VariableVersion version) {
      return new Version(epoch, version.getKey(), version.getClock(), version.getTimestampMs());
    }
  }

  /** From all candidates published until now. */
  static FirstAcceptances read(KafkaSettings kafka) throws InterruptedException {
    FirstAcceptances acceptances = new FirstAcceptances();
    Source candidates = Source.all(Topics.DEFAULT.candidates(), LogTail.From.BEGINNING);
    try (LogTail tail = new LogTail("demo-candidates", kafka, candidates, acceptances::add)) {
      tail.start();
      if (!tail.awaitCaughtUp(READ_MAX)) {
        throw new Refusal("the candidates in Kafka could not be read: " + tail.failure());
      }
    }
    return acceptances;
  }

  /** What {@code witness} is a copy of began then; its own start if that is not known. */
  long startOf(Witness witness, long epoch) {
    return acceptedAt.getOrDefault(
        Version.of(epoch, witness.getValues(0)), CandidateRecords.decode(witness.getStart()).own());
  }

  void add(CandidateRecord candidate) {
    if (candidate.getEventCase() != EventCase.OPENED) {
      return;
    }
    Opened opened = candidate.getOpened();
    if (opened.hasOrigin() && opened.getOrigin() == candidate.getNode()) {
      acceptedAt.putIfAbsent(
          Version.of(candidate.getEpoch(), opened.getValues(0)),
          CandidateRecords.decode(opened.getStart()).own());
    }
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    try {
      add(CandidateRecord.parseFrom(record.value()));
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new IllegalStateException("a candidate in Kafka cannot be read", e);
    }
  }
}
