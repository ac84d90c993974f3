package io.palinode.demo.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.palinode.demo.watch.RuleResult.GradeResult;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordedRunTest {
  private static final long BEGIN = 1_000_000;

  private final RecordedRun run = new RecordedRun(2, BEGIN, Truth.of(List.of()));

  @Test
  void aClockKnowsOthersToEpsilonBeforeItsOwn() {
    Hvc recorded = Hvc.of(1, Hlc.ofMicros(5), Hlc.ofMicros(2_000), Hlc.ofMicros(1_800));
    assertThat(RecordedRun.known(recorded, Epsilon.INFINITE)).isEqualTo(recorded);
    assertThat(RecordedRun.known(recorded, Epsilon.ofMicros(500)))
        .isEqualTo(Hvc.of(1, Hlc.ofMicros(1_500), Hlc.ofMicros(2_000), Hlc.ofMicros(1_800)));
    assertThat(RecordedRun.known(recorded, Epsilon.ofMicros(0)))
        .isEqualTo(Hvc.of(1, Hlc.ofMicros(2_000), Hlc.ofMicros(2_000), Hlc.ofMicros(2_000)));
  }

  @Test
  void sectionsTenMillisecondsApartAreAReportOnlyIfClocksMayDifferByMore() {
    section(0, 0, 1, 0, 5_000);
    section(1, 1, 1, 15_000, 20_000);
    assertThat(run.intervals()).isEqualTo(2);
    assertThat(reports("0")).isZero();
    assertThat(reports("1ms")).isZero();
    assertThat(reports("100ms")).isEqualTo(1);
    assertThat(reports("inf")).isEqualTo(1);
  }

  @Test
  void sectionsThatOverlapByMoreThanEpsilonAreDefinite() {
    section(0, 0, 1, 0, 50_000);
    section(1, 1, 1, 10_000, 60_000);
    assertThat(run.judge(Epsilon.ofMicros(1_000)).grades())
        .extracting(GradeResult::grade, GradeResult::reports)
        .first()
        .isEqualTo(org.assertj.core.groups.Tuple.tuple("definite", 1L));
  }

  @Test
  void whatBeganBeforeTheRunDoesNotCount() {
    section(0, 0, 1, -10, 50_000);
    section(1, 1, 1, 10_000, 60_000);
    assertThat(run.intervals()).isEqualTo(1);
    assertThat(reports("inf")).isZero();
  }

  private long reports(String epsilon) {
    return run.judge(Epsilon.parse(epsilon)).grades().stream()
        .mapToLong(GradeResult::reports)
        .sum();
  }

  /** Of an end of the edge 0_1, on a node that knows nothing of the other. */
  private void section(int node, int end, long sequence, long from, long to) {
    IntervalRef ref =
        IntervalRef.newBuilder()
            .setPredicate("edge-mutex")
            .setBinding("a=0,b=1")
            .setMember("end=" + end)
            .build();
    VariableVersion version =
        VariableVersion.newBuilder()
            .setKey(ByteString.copyFromUtf8("cs_0_1_" + end))
            .setValue(ByteString.copyFromUtf8("1"))
            .setClock(ByteString.copyFrom(new byte[] {(byte) node}))
            .build();
    CandidateRecord.Builder record =
        CandidateRecord.newBuilder().setNode(node).setIncarnation(1).setSequence(sequence);
    run.add(
        0,
        record
            .setOpened(
                Opened.newBuilder()
                    .setInterval(ref)
                    .setStart(clock(node, from))
                    .setOrigin(node)
                    .addValues(version))
            .build());
    run.add(
        0,
        record
            .setSequence(sequence + 1)
            .setClosed(
                Closed.newBuilder()
                    .setInterval(ref)
                    .setOpenedSequence(sequence)
                    .setStart(clock(node, from))
                    .setEnd(clock(node, to)))
            .build());
  }

  private static ByteString clock(int node, long micros) {
    long[] entries = {Hlc.ofMicros(1), Hlc.ofMicros(1)};
    entries[node] = Hlc.ofMicros(BEGIN + micros);
    return CandidateRecords.encode(Hvc.of(node, entries));
  }
}
