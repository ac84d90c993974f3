package io.palinode.monitor.flink.detection;

import static io.palinode.monitor.Records.clock;
import static io.palinode.monitor.Records.event;
import static io.palinode.monitor.Records.interval;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.HvcCodec;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Records;
import io.palinode.monitor.judgement.ProgressWatermarks;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Opened;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** State of the detection operator across epochs and restarts of nodes. */
class DetectionEpochsTest extends DetectionFixture {
  private final ProgressWatermarks watermarks = new ProgressWatermarks(Records.NODES);

  @Test
  void aNewerEpochDropsTheOpenIntervalsOfTheEarlierOne() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    apply(epoch(1, Records.opened(1, 1, interval("", 1), clock(1, 1_005, LAG))));
    watermark(2_000);
    assertThat(violations()).isEmpty();
    apply(epoch(1, Records.opened(0, 2, interval("", 0), clock(0, 2_005, LAG))));
    watermark(3_000);
    assertThat(violations())
        .singleElement()
        .satisfies(found -> assertThat(found.getEpoch()).isEqualTo(1));
  }

  @Test
  void candidatesOfAnOlderEpochAreDropped() throws Exception {
    learn(1);
    apply(epoch(2, Records.opened(1, 1, interval("", 1), clock(1, 1_005, LAG))));
    open(0, 1, 0, 1_006);
    watermark(2_000);
    assertThat(violations()).isEmpty();
  }

  @Test
  void idleStateOfAnOldEpochIsDroppedInTime() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    watermark(2_000);
    assertThat(keptEntries()).isOne();
    CandidateEvent newer = event(epoch(1, Records.progress(0, 1, clock(0, 3_000, LAG))));
    harness.processBroadcastElement(Notice.epoch(newer), 0);
    watermark(25_000_000);
    assertThat(keptEntries()).isZero();
  }

  @Test
  void intervalsOfALateNodeAreJudgedWithThoseThatEndedElsewhere() throws Exception {
    learn(1);
    twoNodesOpenTheEpochAndOneIsLate();
    arrive(epoch(1, Records.opened(1, 1, interval("", 1), clock(1, 1_000, LAG))));
    allReach(2_000);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void aVersionThatANodeFindsLateEndsWhereItWasSuperseded() throws Exception {
    harness.processBroadcastElement(
        Notice.predicate(predicate(YAML.replace("any", "first"), 1, false)), 0);
    twoNodesOpenTheEpochAndOneIsLate();
    CandidateRecord writtenLater = Records.opened(2, 1, interval("", 1), clock(2, 1_200, LAG));
    arrive(
        epoch(
            1,
            writtenLater.toBuilder()
                .setOpened(writtenLater.getOpened().toBuilder().setOrigin(2))
                .build()));
    CandidateRecord found = Records.opened(1, 1, interval("", 0), clock(1, 1_000, LAG));
    arrive(
        epoch(
            1,
            found.toBuilder()
                .setOpened(found.getOpened().toBuilder().setValues(0, Records.version("x0", 1)))
                .build()));
    allReach(2_000);
    assertThat(violations()).isEmpty();
  }

  /** Node 1 still publishes in the old epoch while node 0 has ended an interval. */
  private void twoNodesOpenTheEpochAndOneIsLate() throws Exception {
    for (int node = 0; node < Records.NODES; node++) {
      arrive(Records.progress(node, 0, clock(node, 900, LAG)));
    }
    arrive(epoch(1, Records.opened(0, 1, interval("", 0), clock(0, 1_000, LAG))));
    arrive(
        epoch(
            1,
            Records.closed(0, 2, 1, interval("", 0), clock(0, 1_000, LAG), clock(0, 1_100, LAG))));
    arrive(Records.progress(1, 0, clock(1, 1_300, LAG)));
    arrive(epoch(1, Records.progress(0, 2, clock(0, 1_300, LAG))));
    arrive(epoch(1, Records.progress(2, 0, clock(2, 1_150, LAG))));
  }

  private void allReach(long micros) throws Exception {
    for (int node = 0; node < Records.NODES; node++) {
      arrive(epoch(1, Records.progress(node, 2, clock(node, micros, LAG))));
    }
  }

  /** A timer set for the past must not fire again within one step of the watermark. */
  @Test
  @Timeout(20)
  void aKilledNodeThatFindsASupersededVersionHoldsNothingUp() throws Exception {
    byte[] first = predicate(YAML.replace("any", "first"), 1, false);
    harness.processBroadcastElement(Notice.predicate(first), 0);
    for (int node = 0; node < Records.NODES; node++) {
      arrive(Records.progress(node, 0, clock(node, 900, LAG)));
    }
    // Node 0 accepted x@1, its client copied it to node 1, and node 0 was killed before it
    // published.
    arrive(ofVersion(Records.opened(1, 1, interval("", 0), clock(1, 950, LAG)), 0));
    CandidateRecord superseded =
        Records.closed(1, 2, 1, interval("", 0), clock(1, 950, LAG), clock(1, 1_000, LAG));
    arrive(
        superseded.toBuilder()
            .setClosed(superseded.getClosed().toBuilder().setOpenedBy(Records.version("x0", 1)))
            .build());
    for (int node = 1; node < Records.NODES; node++) {
      arrive(Records.progress(node, node == 1 ? 2 : 0, clock(node, 2_100, LAG)));
    }
    // Node 0 restarts and finds x@1.
    CandidateRecord found = Records.opened(0, 1, interval("", 0), clock(0, 2_000, LAG));
    arrive(ofVersion(found.toBuilder().setIncarnation(2).build(), null));
    assertThat(harness.getOutput()).last().isInstanceOf(Watermark.class);
  }

  private static CandidateRecord ofVersion(CandidateRecord record, @Nullable Integer origin) {
    Opened.Builder opened = record.getOpened().toBuilder().setValues(0, Records.version("x0", 1));
    if (origin != null) {
      opened.setOrigin(origin);
    }
    return record.toBuilder().setOpened(opened).build();
  }

  private void arrive(CandidateRecord record) throws Exception {
    CandidateEvent event = event(record);
    if (!event.key().isEmpty()) {
      harness.processElement(event, event.hlc());
    }
    if (watermarks.observe(event)) {
      harness.watermark(watermarks.watermark());
    }
  }

  @Test
  void aRestartEndsTheOpenIntervalsOfItsNode() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    restart(0, 2_000);
    watermark(2_000);
    open(1, 1, 1, 2_100);
    watermark(2_200);
    assertThat(violations()).isEmpty();
  }

  /** An instance is updated at its next event, which may follow all restarts. */
  @Test
  void ofManyRestartsTheFirstEndsTheOpenIntervals() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    for (int incarnation = 2; incarnation < 2 + RestartBook.KEPT_MAX; incarnation++) {
      restart(0, incarnation, incarnation * 1_000L);
    }
    open(1, 1, 1, 2_500);
    watermark(100_000);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aLimitedNumberOfRestartsIsKept() throws Exception {
    learn(1);
    for (int incarnation = 2; incarnation < 100; incarnation++) {
      restart(0, incarnation, incarnation * 1_000L);
      restart(1, incarnation, incarnation * 1_000L);
    }
    assertThat(
            harness
                .getOperator()
                .getOperatorStateBackend()
                .getBroadcastState(RestartBook.STATE)
                .immutableEntries())
        .hasSize(2 * RestartBook.KEPT_MAX);
  }

  @Test
  void aRestartDoesNotReachBackBeforeItself() throws Exception {
    learn(1);
    open(0, 1, 0, 1_000);
    restart(0, 2_000);
    open(1, 1, 1, 1_500);
    watermark(2_200);
    assertThat(violations()).hasSize(1);
  }

  private void restart(int node, long micros) throws Exception {
    restart(node, 2, micros);
  }

  private void restart(int node, long incarnation, long micros) throws Exception {
    CandidateRecord first =
        Records.progress(node, 0, clock(node, micros, LAG)).toBuilder()
            .setIncarnation(incarnation)
            .build();
    harness.processBroadcastElement(
        Notice.restarted(event(first), HvcCodec.encode(clock(node, micros, LAG))), 0);
  }

  private static CandidateRecord epoch(long epoch, CandidateRecord record) {
    return record.toBuilder().setEpoch(epoch).build();
  }
}
