package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Gap;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Progress;
import io.palinode.wire.v1.Stopped;
import io.palinode.wire.v1.VariableVersion;
import java.util.HexFormat;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CandidateRecordsTest {
  private static final Hvc CLOCK = Hvc.of(1, 10, 20, 30);

  /** The bytes of releases that do not publish the times of versions. */
  private static final String UNTIMED_OPENED =
      "08011006180220112a3e"
          + "0a140a056d7574657810041a07613d312c623d322801"
          + "12020102"
          + "1a180a0173120863735f315f325f321a01312206000101000001"
          + "2206636c69656e74"
          + "2801";

  private static final String UNTIMED_CLOSED =
      "0801100618022012325d"
          + "0a140a056d7574657810041a07613d312c623d322801"
          + "1011"
          + "1a020102"
          + "22020103"
          + "2a180a0173120863735f315f325f321a01312206000101000001"
          + "32180a0173120863735f315f325f321a01302206000101000002"
          + "3a056f74686572"
          + "4000";

  private static final String OPENED =
      "08011006180220112a45"
          + "0a140a056d7574657810041a07613d312c623d322801"
          + "12020102"
          + "1a1f0a0173120863735f315f325f321a0131220600010100000130fbd095ffbc31"
          + "2206636c69656e74"
          + "2801";
  private static final String CLOSED =
      "0801100618022012326b"
          + "0a140a056d7574657810041a07613d312c623d322801"
          + "1011"
          + "1a020102"
          + "22020103"
          + "2a1f0a0173120863735f315f325f321a0131220600010100000130fbd095ffbc31"
          + "321f0a0173120863735f315f325f321a0130220600010100000230c8d395ffbc31"
          + "3a056f74686572"
          + "4000";

  private static final long AT = 1_700_000_000_123L;
  private static final long LATER = 1_700_000_000_456L;
  private static final IntervalRef INTERVAL =
      IntervalRef.newBuilder()
          .setPredicate("mutex")
          .setPredicateVersion(4)
          .setBinding("a=1,b=2")
          .setTerm(1)
          .build();

  /** Nodes and jobs of two releases work together while a cluster is upgraded. */
  @Test
  void theBytesOfARecordStayAsTheyAre() throws InvalidProtocolBufferException {
    assertThat(hex(opened(AT))).isEqualTo(OPENED);
    assertThat(hex(closed(AT, LATER))).isEqualTo(CLOSED);
    assertThat(parse(OPENED)).isEqualTo(opened(AT));
    assertThat(parse(CLOSED)).isEqualTo(closed(AT, LATER));
  }

  @Test
  void recordsWithoutTimesOfVersionsAreStillRead() throws InvalidProtocolBufferException {
    assertThat(parse(UNTIMED_OPENED)).isEqualTo(opened(null));
    assertThat(parse(UNTIMED_CLOSED)).isEqualTo(closed(null, null));
    assertThat(parse(UNTIMED_OPENED).getOpened().getValues(0).hasTimestampMs()).isFalse();
    assertThat(hex(opened(null))).isEqualTo(UNTIMED_OPENED);
  }

  @Test
  void anInstanceIsNamedByPredicateAndBinding() {
    IntervalRef interval =
        IntervalRef.newBuilder().setPredicate("mutex").setBinding("a=3,b=5").build();
    assertThat(CandidateRecords.instanceKey(interval)).isEqualTo("mutex|a=3,b=5");
    assertThat(CandidateRecords.instanceKey("p", "")).isEqualTo("p|");
  }

  @Test
  void thePartitionIsTheOneOfKafkasOwnPartitioner() {
    for (int i = 0; i < 1_000; i++) {
      byte[] key = CandidateRecords.keyBytes("mutex|a=" + i);
      assertThat(CandidateRecords.partition(key, 7))
          .isEqualTo(BuiltInPartitioner.partitionForKey(key, 7));
    }
  }

  @Test
  void theOwnTimeOfAnEventIsItsStartItsEndItsProgressOrItsLastLoss() {
    CandidateRecord.Builder record = CandidateRecord.newBuilder();
    var clock = CandidateRecords.encode(CLOCK);
    assertThat(
            CandidateRecords.ownTime(record.setOpened(Opened.newBuilder().setStart(clock)).build()))
        .isEqualTo(20);
    assertThat(
            CandidateRecords.ownTime(record.setClosed(Closed.newBuilder().setEnd(clock)).build()))
        .isEqualTo(20);
    assertThat(
            CandidateRecords.ownTime(
                record.setProgress(Progress.newBuilder().setHvc(clock)).build()))
        .isEqualTo(20);
    assertThat(
            CandidateRecords.ownTime(record.setStopped(Stopped.newBuilder().setHvc(clock)).build()))
        .isEqualTo(20);
    assertThat(CandidateRecords.ownTime(record.setGap(Gap.newBuilder().setToHlc(9)).build()))
        .isEqualTo(9);
  }

  @Test
  void aVersionBeyondItsBoundIsRefused() {
    CandidateRecord.Builder made = opened(AT).toBuilder();
    made.getOpenedBuilder().setStart(CandidateRecords.encode(CLOCK));
    CandidateRecord whole = made.build();
    RecordBounds bounds = new RecordBounds(CLOCK.nodes(), 0, AT);
    CandidateRecordCheck.require(whole, bounds);
    CandidateRecordCheck.requireOfSomeCluster(whole, new RecordBounds(Hvc.NODES_MAX, 0, AT));
    CandidateRecord.Builder forged = whole.toBuilder();
    forged.getOpenedBuilder().getIntervalBuilder().setPredicateVersion(Long.MAX_VALUE);
    assertThatThrownBy(() -> CandidateRecordCheck.require(forged.build(), bounds))
        .hasMessage("predicate_version must be in [0, 1000000000000]: " + Long.MAX_VALUE);
  }

  @Test
  void aRecordWithoutAnEventHasNoTime() {
    assertThatThrownBy(
            () -> CandidateRecords.ownTime(CandidateRecord.newBuilder().setNode(2).build()))
        .hasMessageContaining("node=2");
  }

  private static String hex(CandidateRecord record) {
    return HexFormat.of().formatHex(record.toByteArray());
  }

  private static CandidateRecord parse(String hex) throws InvalidProtocolBufferException {
    return CandidateRecord.parseFrom(HexFormat.of().parseHex(hex));
  }

  private static CandidateRecord opened(@Nullable Long at) {
    return record(17)
        .setOpened(
            Opened.newBuilder()
                .setInterval(INTERVAL)
                .setStart(bytes(1, 2))
                .addValues(version("1", 1, at))
                .setWriter("client")
                .setOrigin(1))
        .build();
  }

  private static CandidateRecord closed(@Nullable Long openedAt, @Nullable Long endedAt) {
    return record(18)
        .setClosed(
            Closed.newBuilder()
                .setInterval(INTERVAL)
                .setOpenedSequence(17)
                .setStart(bytes(1, 2))
                .setEnd(bytes(1, 3))
                .setOpenedBy(version("1", 1, openedAt))
                .setEndedBy(version("0", 2, endedAt))
                .setWriter("other")
                .setOrigin(0))
        .build();
  }

  private static CandidateRecord.Builder record(long sequence) {
    return CandidateRecord.newBuilder()
        .setNode(1)
        .setIncarnation(6)
        .setEpoch(2)
        .setSequence(sequence);
  }

  private static VariableVersion version(String value, int counter, @Nullable Long timestampMs) {
    VariableVersion.Builder version =
        VariableVersion.newBuilder()
            .setStore("s")
            .setKey(ByteString.copyFromUtf8("cs_1_2_2"))
            .setValue(ByteString.copyFromUtf8(value))
            .setClock(bytes(0, 1, 1, 0, 0, counter));
    if (timestampMs != null) {
      version.setTimestampMs(timestampMs);
    }
    return version.build();
  }

  private static ByteString bytes(int... bytes) {
    byte[] copy = new byte[bytes.length];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = (byte) bytes[i];
    }
    return ByteString.copyFrom(copy);
  }
}
