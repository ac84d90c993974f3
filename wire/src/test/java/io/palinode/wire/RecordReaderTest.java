package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hlc;
import io.palinode.wire.RefusedRecords.Reason;
import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.NodeReport;
import io.palinode.wire.v1.Pause;
import io.palinode.wire.v1.Paused;
import io.palinode.wire.v1.PeerClock;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.PredicateRecord;
import io.palinode.wire.v1.SafePoint;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotDeleted;
import io.palinode.wire.v1.SnapshotOpened;
import io.palinode.wire.v1.SnapshotRef;
import io.palinode.wire.v1.SnapshotStep;
import io.palinode.wire.v1.ViolationRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordReaderTest {
  private static final long NOW_MS = 1_700_000_000_000L;
  private static final int NODES = 3;

  private final AtomicLong nanos = new AtomicLong();
  private final RefusedRecords refused = new RefusedRecords(nanos::get);
  private final RecordReader<ControlRecord> reader =
      new RecordReader<>(ControlRecord.parser(), ControlRecordCheck::require, NODES, refused);
  private final List<ControlRecord> read = new ArrayList<>();

  @Test
  void aRecordWithoutAValueOrOfNoMessageIsPassedOver() {
    reader.read(record(0, null), read::add);
    reader.read(record(1, new byte[] {1}), read::add);
    reader.read(record(2, pause(1)), read::add);
    assertThat(read).hasSize(1);
    assertThat(refused.count("control", Reason.EMPTY)).isEqualTo(1);
    assertThat(refused.count("control", Reason.UNREADABLE)).isEqualTo(1);
    assertThat(refused.latest()).extracting(RefusedRecords.Refused::offset).containsExactly(1L, 0L);
  }

  @Test
  void aRecordThatKafkaCannotReadCountsWithItsOffset() {
    reader.refuseUnreadable(new TopicPartition("control", 0), 7, new KafkaException("a batch"));
    assertThat(refused.count("control", Reason.UNREADABLE)).isEqualTo(1);
    assertThat(refused.latest()).extracting(RefusedRecords.Refused::offset).containsExactly(7L);
  }

  @Test
  void aRecordOverWhichTheListenerThrowsIsPassedOver() {
    reader.read(
        record(0, pause(1)),
        step -> {
          throw new IllegalStateException("bug");
        });
    reader.read(record(1, pause(1)), read::add);
    assertThat(read).hasSize(1);
    assertThat(refused.count("control", Reason.FAILED)).isEqualTo(1);
  }

  @Test
  void aListenerThatTakesNoMoreEndsItsReader() {
    assertThatThrownBy(
            () ->
                reader.read(
                    record(0, pause(1)),
                    step -> {
                      throw new CancellationException();
                    }))
        .isInstanceOf(CancellationException.class);
    assertThat(refused.total()).isZero();
  }

  @Test
  void onlyTheLatestAreKept() {
    for (int i = 0; i < RefusedRecords.KEPT_MAX + 5; i++) {
      reader.read(record(i, null), read::add);
    }
    assertThat(refused.latest()).hasSize(RefusedRecords.KEPT_MAX);
    assertThat(refused.latest().get(0).offset()).isEqualTo(RefusedRecords.KEPT_MAX + 4);
    assertThat(refused.count("control", Reason.EMPTY)).isEqualTo(RefusedRecords.KEPT_MAX + 5);
  }

  static Stream<ControlRecord.Builder> absurd() {
    SnapshotRef huge = SnapshotRef.newBuilder().setId("s-1").setNumber(Long.MAX_VALUE).build();
    return Stream.of(
        ControlRecord.newBuilder().setEpoch(Long.MAX_VALUE).setPause(Pause.getDefaultInstance()),
        ControlRecord.newBuilder().setEpoch(-1).setPause(Pause.getDefaultInstance()),
        ControlRecord.newBuilder().setAtMicros(Long.MAX_VALUE).setPause(Pause.getDefaultInstance()),
        ControlRecord.newBuilder(),
        ControlRecord.newBuilder().setSafePoint(SafePoint.newBuilder().setHlc(Long.MAX_VALUE)),
        ControlRecord.newBuilder().setSafePoint(SafePoint.newBuilder().setHlc(-1)),
        ControlRecord.newBuilder().setPaused(Paused.newBuilder().setNode(NODES)),
        ControlRecord.newBuilder().setPaused(Paused.newBuilder().setNode(-1)),
        ControlRecord.newBuilder().setPlanOpened(PlanOpened.newBuilder().setSnapshot(huge)),
        ControlRecord.newBuilder().setAbandon(Abandon.newBuilder().addStopped(NODES)),
        ControlRecord.newBuilder().setAbandon(Abandon.newBuilder().addStopped(-1)),
        ControlRecord.newBuilder().setAbandon(Abandon.newBuilder().addAllStopped(List.of(0, 1, 2))),
        peer(PeerClock.newBuilder().setNode(NODES)),
        peer(PeerClock.newBuilder().setAheadMicrosMax(Long.MIN_VALUE)),
        peer(PeerClock.newBuilder().setAheadMicrosMax(-Hlc.MICROS_MAX - 1)),
        snapshot(
            SnapshotStep.newBuilder().setOpened(SnapshotOpened.newBuilder().setSnapshot(huge))),
        snapshot(
            SnapshotStep.newBuilder().setDeleted(SnapshotDeleted.newBuilder().setId("../../x"))));
  }

  private static ControlRecord.Builder peer(PeerClock.Builder peer) {
    return ControlRecord.newBuilder().setNodeReport(NodeReport.newBuilder().addPeers(peer));
  }

  private static ControlRecord.Builder snapshot(SnapshotStep.Builder step) {
    return ControlRecord.newBuilder().setSnapshot(step);
  }

  @ParameterizedTest
  @MethodSource("absurd")
  void anAbsurdControlRecordIsPassedOver(ControlRecord.Builder absurd) {
    reader.read(record(5, absurd.build().toByteArray()), read::add);
    assertThat(read).isEmpty();
    assertThat(refused.count("control", Reason.ABSURD)).isEqualTo(1);
  }

  @Test
  void aSnapshotWithoutABaseIsClosedWithAnEmptyOne() {
    SnapshotRef taken = SnapshotRef.newBuilder().setId("a").setNumber(1).build();
    SnapshotClosed closed =
        SnapshotClosed.newBuilder()
            .setSnapshot(taken)
            .setBase(SnapshotRef.getDefaultInstance())
            .build();
    ControlRecord record = snapshot(SnapshotStep.newBuilder().setClosed(closed)).build();
    reader.read(record(5, record.toByteArray()), read::add);
    assertThat(read).containsExactly(record);
  }

  @Test
  void aTimeMayBeAheadOfTheRecordByAMinute() {
    long latest = Hlc.of((NOW_MS + RecordBounds.AHEAD_MAX_MS) * 1_000, Hlc.COUNTER_MAX);
    RecordBounds bounds = new RecordBounds(NODES, 0, NOW_MS);
    RecordChecks.violation(judged(latest), bounds);
    assertThatThrownBy(() -> RecordChecks.violation(judged(latest + 1), bounds))
        .hasMessageContaining("hlc must be in");
    assertThatThrownBy(() -> RecordChecks.violation(judged(Long.MAX_VALUE), bounds))
        .hasMessageContaining(Long.toString(Long.MAX_VALUE));
  }

  @Test
  void theNextVersionOfAPredicateAlwaysHasRoom() {
    long greatest = 7 + 1 + RecordBounds.SLACK;
    RecordChecks.predicate(version(greatest), new RecordBounds(NODES, 7, NOW_MS));
    RecordChecks.predicate(version(greatest + 1), new RecordBounds(NODES, 8, NOW_MS));
    for (long absurd : new long[] {0, -1, greatest + 1, Long.MAX_VALUE}) {
      assertThatThrownBy(
              () -> RecordChecks.predicate(version(absurd), new RecordBounds(NODES, 7, NOW_MS)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static PredicateRecord version(long version) {
    return PredicateRecord.newBuilder().setName("p").setVersion(version).build();
  }

  private static ViolationRecord judged(long hlc) {
    return ViolationRecord.newBuilder().setJudged(Judged.newBuilder().setHlc(hlc)).build();
  }

  private static byte[] pause(long epoch) {
    return ControlRecord.newBuilder()
        .setEpoch(epoch)
        .setPause(Pause.getDefaultInstance())
        .build()
        .toByteArray();
  }

  private static ConsumerRecord<byte[], byte[]> record(long offset, byte @Nullable [] value) {
    return new ConsumerRecord<>(
        "control",
        0,
        offset,
        NOW_MS,
        TimestampType.CREATE_TIME,
        -1,
        value == null ? -1 : value.length,
        null,
        value,
        new RecordHeaders(),
        Optional.empty());
  }
}
