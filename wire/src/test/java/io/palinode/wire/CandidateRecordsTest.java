package io.palinode.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Gap;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.Progress;
import io.palinode.wire.v1.Stopped;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Test;

class CandidateRecordsTest {
  private static final Hvc CLOCK = Hvc.of(1, 10, 20, 30);

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
  void aRecordWithoutAnEventHasNoTime() {
    assertThatThrownBy(
            () -> CandidateRecords.ownTime(CandidateRecord.newBuilder().setNode(2).build()))
        .hasMessageContaining("node=2");
  }
}
