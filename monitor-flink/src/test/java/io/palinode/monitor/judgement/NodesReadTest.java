package io.palinode.monitor.judgement;

import static io.palinode.monitor.Records.progress;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Records;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeReached;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodesReadTest {
  private final NodesRead read = new NodesRead(Records.NODES);

  private @Nullable JudgementReport observe(CandidateEvent event, long nowMs) {
    return read.observe(event, nowMs, node -> node == 1);
  }

  @Test
  void aReportIsDueOncePerSecondAndNamesTheNodesThatWereRead() {
    assertThat(observe(progress(0, 0, 100), 5_000)).isNull();
    assertThat(observe(progress(1, 0, 90), 5_999)).isNull();
    JudgementReport report = Objects.requireNonNull(observe(progress(0, 0, 200), 6_000));
    assertThat(report.getNodesList())
        .extracting(node -> node.getNode(), node -> node.getHlc(), node -> node.getReadMicros())
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(0, Hlc.ofMicros(200), 6_000_000L),
            org.assertj.core.groups.Tuple.tuple(1, Hlc.ofMicros(90), 5_999_000L));
    assertThat(report.getNodesList())
        .extracting(NodeReached::getSkipped)
        .containsExactly(false, true);
    assertThat(observe(progress(0, 0, 300), 6_001)).isNull();
  }

  @Test
  void aDiskThatRefusesTheClockPromiseIsReportedUntilTheNextProgress() {
    CandidateEvent refuses =
        Records.event(Records.of(1, 1, 0).setUnpromisedSinceMicros(4_000_000).build());
    var unused = observe(progress(1, 0, 90), 5_000);
    JudgementReport report = Objects.requireNonNull(observe(refuses, 6_000));
    assertThat(report.getNodes(0).getUnpromisedSinceMicros()).isEqualTo(4_000_000);
    assertThat(report.getNodes(0).getHlc()).isEqualTo(Hlc.ofMicros(90));
    report = Objects.requireNonNull(observe(progress(1, 0, 100), 7_000));
    assertThat(report.getNodes(0).hasUnpromisedSinceMicros()).isFalse();
  }

  @Test
  void theReportOfAJobTakesThePartitionInWhichANodeIsFurthestBehind() {
    JudgementReports reports = new JudgementReports(1_000, "10ms", "");
    reports.learn(0, ofNodes(0, 70, 2_000));
    reports.learn(1, ofNodes(0, 60, 3_000));
    reports.learn(0, ofNodes(0, 80, 2_500));
    JudgementReport report = reports.at(4_000, JudgedPace.NOTHING);
    assertThat(report.getAtMicros()).isEqualTo(4_000_000);
    assertThat(report.getStartedMicros()).isEqualTo(1_000_000);
    assertThat(report.hasHeldHlc()).isFalse();
    assertThat(report.getNodesList())
        .singleElement()
        .satisfies(
            node -> {
              assertThat(node.getHlc()).isEqualTo(60);
              assertThat(node.getReadMicros()).isEqualTo(3_000);
            });
    assertThat(reports.at(4_000, 55).getHeldHlc()).isEqualTo(55);
  }

  private static JudgementReport ofNodes(int node, long hlc, long readMicros) {
    return JudgementReport.newBuilder()
        .addNodes(
            io.palinode.wire.v1.NodeReached.newBuilder()
                .setNode(node)
                .setHlc(hlc)
                .setReadMicros(readMicros))
        .build();
  }
}
