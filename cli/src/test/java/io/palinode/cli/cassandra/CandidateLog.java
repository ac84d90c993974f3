package io.palinode.cli.cassandra;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.LogTail;
import io.palinode.wire.Topics;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.VariableVersion;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What nodes publish about keys, as it comes. */
public final class CandidateLog implements AutoCloseable {
  private final List<Step> steps = new CopyOnWriteArrayList<>();
  private final List<CandidateRecord> gaps = new CopyOnWriteArrayList<>();
  private final LogTail tail;

  /**
   * The begin or the end of an interval.
   *
   * @param key of its first version
   * @param start of its first version
   */
  public record Step(
      int node, long incarnation, boolean opens, String key, String value, Hvc start) {}

  public CandidateLog(String kafka) {
    tail =
        new LogTail(
            "candidate-log",
            KafkaSettings.of(kafka),
            LogTail.Source.all(Topics.DEFAULT.candidates(), LogTail.From.BEGINNING),
            this::onRecord);
    tail.start();
  }

  private void onRecord(ConsumerRecord<byte[], byte[]> record) {
    try {
      CandidateRecord read = CandidateRecord.parseFrom(record.value());
      if (read.hasOpened()) {
        add(read, true, read.getOpened().getValues(0), read.getOpened().getStart());
      } else if (read.hasClosed()) {
        add(read, false, read.getClosed().getOpenedBy(), read.getClosed().getStart());
      } else if (read.hasGap()) {
        gaps.add(read);
      }
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(e);
    }
  }

  private void add(
      CandidateRecord record, boolean opens, VariableVersion version, ByteString start) {
    steps.add(
        new Step(
            record.getNode(),
            record.getIncarnation(),
            opens,
            version.getKey().toStringUtf8(),
            version.getValue().toStringUtf8(),
            CandidateRecords.decode(start)));
  }

  /** The steps of keys that begin so, in the order of each node. */
  public List<Step> of(String prefix) {
    return steps.stream().filter(step -> step.key().startsWith(prefix)).toList();
  }

  /** How many coverage gaps an incarnation has published. */
  public long gaps(int node, long incarnation) {
    return gaps.stream()
        .filter(gap -> gap.getNode() == node && gap.getIncarnation() == incarnation)
        .count();
  }

  @Override
  public void close() {
    tail.close();
  }
}
