package io.palinode.orchestrator.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.GapsFound;
import io.palinode.wire.v1.Halted;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeJoined;
import io.palinode.wire.v1.NodeReached;
import io.palinode.wire.v1.PlanOpened;
import io.palinode.wire.v1.ViolationRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaitsTest {
  private static final int NODES = 3;
  private static final long SECOND = 1_000_000;
  private static final long STARTED = 1_000 * SECOND;
  private static final long NOW = 1_100 * SECOND;

  private MachineState state = MachineState.initial(RollbackSettings.of(NODES));
  private JobFeed job = JobFeed.NONE;
  private final List<NodeStatus> joined = new ArrayList<>();
  private final List<FailedPart> parts = new ArrayList<>();
  private final Map<Integer, Epsilon> epsilons = new HashMap<>();
  private final Map<Integer, String> off = new HashMap<>();
  private final Map<Integer, NodeReports.Refusing> refusing = new HashMap<>();
  private final Set<Integer> awaitRepair = new HashSet<>();
  private final Map<Integer, Long> reported = new HashMap<>();
  private long unreachableSince;
  private long answersSince = STARTED;
  private long setBackSince;

  @Test
  void aClusterWhoseJobNeverRanIsNotJudgedAndWaitsForTheJob() {
    join(STARTED - 50 * SECOND, 0, 1, 2);
    Judgement judgement = judgement();
    assertThat(judgement.epochJudged()).isFalse();
    assertThat(judgement.unjudgedSinceMicros()).isEqualTo(STARTED - 50 * SECOND);
    assertThat(judgement.publishedMicros()).isZero();
    assertThat(judgement.waits()).extracting(Wait::reason).containsExactly(Wait.Reason.JOB);
    assertThat(judgement.waits().get(0).sinceMicros()).isEqualTo(STARTED);
    assertThat(judgement.waits().get(0).what()).contains("has never published");
    assertThat(judgement.standing()).hasSize(1);
  }

  @Test
  void aClusterThatIsJudgedWaitsForNothing() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW - 200_000), reached(1, NOW - 900_000), reached(2, NOW));
    Judgement judgement = judgement();
    assertThat(judgement.epochJudged()).isTrue();
    assertThat(judgement.waits()).isEmpty();
  }

  @Test
  void aSilentNodeIsNamedWithTheTimeOfItsLastRecord() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW - 7 * SECOND), reached(2, NOW));
    Wait wait = onlyWait();
    assertThat(wait.reason()).isEqualTo(Wait.Reason.NODE);
    assertThat(wait.node()).isEqualTo(1);
    assertThat(wait.micros(NOW)).isEqualTo(7 * SECOND);
    assertThat(wait.what()).isEqualTo("node 1 publishes nothing");
    assertThat(judgement().micros(Wait.Reason.NODE, 1)).isEqualTo(7 * SECOND);
    assertThat(judgement().micros(Wait.Reason.NODE, 0)).isZero();
  }

  /** Each partition of the job reports once per second. */
  @Test
  void aNodeIsNotLateBetweenTwoReports() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW - 1_600_000), reached(2, NOW));
    assertThat(judgement().waits()).isEmpty();
  }

  @Test
  void aJobThatHasJustStartedDoesNotBlameNodes() {
    join(STARTED, 0, 1, 2);
    JudgementReport early =
        report(reached(0, NOW - 20 * SECOND), reached(1, NOW)).toBuilder()
            .setStartedMicros(NOW - 4 * SECOND)
            .build();
    publish(early);
    assertThat(judgement().waits())
        .extracting(Wait::what)
        .containsExactlyInAnyOrder(
            "the job has just started, and has not read node 0 up to now",
            "the job has read nothing of node 2 since it started");
    assertThat(judgement().waits())
        .allSatisfy(
            wait -> {
              assertThat(wait.micros(NOW)).isEqualTo(4 * SECOND);
              assertThat(wait.wayOut()).startsWith("wait some seconds");
            });
    publish(early.toBuilder().setStartedMicros(NOW - 11 * SECOND).build());
    assertThat(judgement().waits())
        .extracting(Wait::what)
        .contains(
            "node 0 publishes nothing", "the job has read nothing of node 2 since it started");
  }

  /** "Start it" would not help: its server runs. */
  @Test
  void aNodeWhoseAgentIsOffIsNamedAsThatWithItsReason() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW - 7 * SECOND), reached(2, NOW));
    off.put(1, "at 100%: a bug");
    assertThat(onlyWait().reason()).isEqualTo(Wait.Reason.AGENT);
    assertThat(onlyWait().micros(NOW)).isEqualTo(7 * SECOND);
    assertThat(onlyWait().what())
        .isEqualTo(
            "the agent of node 1 has turned itself off, so its writes are not judged: at 100%: a"
                + " bug");
    assertThat(onlyWait().wayOut()).isEqualTo("restart its server");
    assertThat(judgement().micros(Wait.Reason.AGENT, 1)).isEqualTo(7 * SECOND);
    reports(reached(0, NOW), reached(2, NOW));
    assertThat(onlyWait().reason()).as("the job has restarted").isEqualTo(Wait.Reason.AGENT);
  }

  /** It publishes progress, but a plan would wait for it. */
  @Test
  void aNodeThatRefusesWritesIsNamedWithItsReason() {
    join(STARTED, 0, 1, 2);
    NodeReached unpromised =
        reached(2, NOW - 9 * SECOND).toBuilder()
            .setReadMicros(NOW)
            .setUnpromisedSinceMicros(NOW - 8 * SECOND)
            .build();
    reports(reached(0, NOW), reached(1, NOW), unpromised);
    refusing.put(2, new NodeReports.Refusing(NOW - 8 * SECOND, "the disk is 100% full"));
    assertThat(onlyWait().reason()).isEqualTo(Wait.Reason.DISK);
    assertThat(onlyWait().micros(NOW)).isEqualTo(8 * SECOND);
    assertThat(onlyWait().what()).isEqualTo("node 2 refuses all writes: the disk is 100% full");
  }

  /** Judgement continues, but its clients are refused. */
  @Test
  void aNodeThatAwaitsItsRepairIsNamedAsThat() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    awaitRepair.add(1);
    assertThat(onlyWait().reason()).isEqualTo(Wait.Reason.REPAIR);
    assertThat(onlyWait().node()).isEqualTo(1);
    assertThat(onlyWait().reason().needsAlert()).isTrue();
    assertThat(onlyWait().wayOut()).contains("palinode repair");
  }

  @Test
  void aNodeWithAFullDiskIsNamedAsThat() {
    join(STARTED, 0, 1, 2);
    NodeReached full =
        reached(2, NOW - 9 * SECOND).toBuilder()
            .setReadMicros(NOW)
            .setUnpromisedSinceMicros(NOW - 8 * SECOND)
            .build();
    reports(reached(0, NOW), reached(1, NOW), full);
    Wait wait = onlyWait();
    assertThat(wait.reason()).isEqualTo(Wait.Reason.DISK);
    assertThat(wait.node()).isEqualTo(2);
    assertThat(wait.micros(NOW)).isEqualTo(8 * SECOND);
    assertThat(wait.what()).contains("the disk of node 2");
  }

  @Test
  void aNodeThatJudgementSkipsIsNamedAsThatAlsoIfItPublishesAgain() {
    join(STARTED, 0, 1, 2);
    NodeReached skipped = reached(2, NOW).toBuilder().setReadMicros(NOW).setSkipped(true).build();
    reports(reached(0, NOW), reached(1, NOW), skipped);
    assertThat(onlyWait().node()).isEqualTo(2);
    assertThat(onlyWait().what()).contains("continues without node 2");
    assertThat(onlyWait().wayOut()).isEqualTo("restart it");
  }

  @Test
  void aNodeWhoseRecordsComeButDoNotCountIsBehind() {
    join(STARTED, 0, 1, 2);
    NodeReached behind = reached(0, NOW - 4 * SECOND).toBuilder().setReadMicros(NOW).build();
    reports(behind, reached(1, NOW), reached(2, NOW));
    assertThat(onlyWait().what()).startsWith("node 0 is behind");
    assertThat(onlyWait().micros(NOW)).isEqualTo(4 * SECOND);
  }

  @Test
  void aNodeThatNeverJoinedIsNamed() {
    join(STARTED, 0, 2);
    reports(reached(0, NOW), reached(2, NOW));
    assertThat(onlyWait().what()).isEqualTo("node 1 has never joined");
  }

  @Test
  void aSilentJobNamesNoNodes() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW - 60 * SECOND), reached(2, NOW));
    Judgement later = Waits.of(known(NOW + 4 * SECOND));
    assertThat(later.waits()).extracting(Wait::reason).containsExactly(Wait.Reason.JOB);
    assertThat(later.waits().get(0).sinceMicros()).isEqualTo(NOW);
    assertThat(later.waits().get(0).what()).isEqualTo("the detection job publishes nothing");
  }

  /** Without the job, the orchestrator has no progress of nodes. */
  @Test
  void aNodeThatReportsNoMoreIsNamedWhileTheJobIsSilent() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    reported.put(1, NOW);
    long later = NOW + 36 * SECOND;
    Judgement silent = Waits.of(known(later));
    assertThat(silent.waits()).extracting(Wait::reason).contains(Wait.Reason.JOB);
    assertThat(silent.micros(Wait.Reason.NODE, 1)).isEqualTo(36 * SECOND);
    assertThat(silent.micros(Wait.Reason.NODE, 0)).isZero();
    answersSince = later - SECOND;
    assertThat(Waits.of(known(later)).micros(Wait.Reason.NODE, 1))
        .as("Kafka did not answer before")
        .isZero();
  }

  /** An orchestrator that starts reads what the job published long ago. */
  @Test
  void aReplayedReportNamesNoNodes() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW - 60 * SECOND), reached(2, NOW));
    long later = NOW + 3_600 * SECOND;
    job = new JobFeed(NOW, later, job.report());
    assertThat(Waits.of(known(later)).waits()).isEmpty();
    Judgement silent = Waits.of(known(later + 4 * SECOND));
    assertThat(silent.waits()).extracting(Wait::reason).containsExactly(Wait.Reason.JOB);
    assertThat(silent.waits().get(0).sinceMicros()).isEqualTo(NOW);
  }

  @Test
  void kafkaIsNamedInsteadOfItsMissingRecords() {
    join(STARTED, 0, 1, 2);
    unreachableSince = NOW - 6 * SECOND;
    assertThat(onlyWait().reason()).isEqualTo(Wait.Reason.KAFKA);
    assertThat(onlyWait().micros(NOW)).isEqualTo(6 * SECOND);
  }

  @Test
  void aFailedJobOfThisProcessIsNamedOnce() {
    parts.add(new FailedPart("the detection job", null, NOW - SECOND, "CANCELED"));
    assertThat(onlyWait().what()).isEqualTo("the detection job has failed: CANCELED");
  }

  @Test
  void aPlanIsNamedWithTheNodesThatItWaitsForAndAHaltWithItsWaysOut() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    open(NOW - 3 * SECOND);
    assertThat(onlyWait().reason()).isEqualTo(Wait.Reason.PLAN);
    assertThat(onlyWait().what()).isEqualTo("rollback 1 is opened and waits for nodes [0, 1, 2]");
    assertThat(onlyWait().micros(NOW)).isEqualTo(3 * SECOND);

    read(
        ControlRecord.newBuilder()
            .setEpoch(1)
            .setAtMicros(NOW - 2 * SECOND)
            .setHalted(Halted.newBuilder().setReason("no node reaches it"))
            .build());
    assertThat(onlyWait().what()).isEqualTo("rollback 1 is halted: no node reaches it");
    assertThat(onlyWait().wayOut()).contains("retry 1", "abandon 1");
  }

  @Test
  void aCoverageGapThatHoldsTheSafePointIsNamed() {
    join(STARTED, 0, 1, 2);
    long hold = RollbackSettings.micros(state.settings().coverageHold());
    GapsFound found =
        GapsFound.newBuilder()
            .addGaps(
                CoverageLost.newBuilder()
                    .setFromHlc(Hlc.ofMicros(NOW - SECOND))
                    .setToHlc(Hlc.ofMicros(NOW)))
            .setHeldUntilMicros(NOW - SECOND + hold)
            .build();
    read(
        ControlRecord.newBuilder()
            .setAtMicros(NOW - SECOND)
            .setCoverage(CoverageStep.newBuilder().setFound(found))
            .build());
    reports(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    assertThat(onlyWait().reason()).isEqualTo(Wait.Reason.COVERAGE);
    assertThat(onlyWait().micros(NOW)).isEqualTo(SECOND);
    assertThat(onlyWait().wayOut()).contains("palinode acknowledge");
  }

  @Test
  void aCandidateThatWaitsForItsPredicateIsNamed() {
    join(STARTED, 0, 1, 2);
    publish(
        report(reached(0, NOW), reached(1, NOW), reached(2, NOW)).toBuilder()
            .setHeldHlc(Hlc.ofMicros(NOW - 2 * SECOND))
            .build());
    assertThat(onlyWait().reason()).isEqualTo(Wait.Reason.PREDICATE);
    assertThat(onlyWait().micros(NOW)).isEqualTo(2 * SECOND);
  }

  @Test
  void aReportOfTheFutureDoesNotCount() {
    JudgementReport absurd = JudgementReport.newBuilder().setAtMicros(Long.MAX_VALUE / 2).build();
    JobFeed feed = JobFeed.NONE.after(record(absurd), Long.MAX_VALUE, NOW);
    assertThat(feed.report()).isNull();
    assertThat(feed.publishedMicros()).isEqualTo(NOW);
  }

  @Test
  void aStalledPartIsAlertedOnceAndAgainAfterItHasRecovered() {
    WaitAlerts alerts = new WaitAlerts(STARTED);
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW - 4 * SECOND), reached(2, NOW));
    assertThat(alerts.due(judgement())).isEmpty();
    reports(reached(0, NOW), reached(1, NOW - 6 * SECOND), reached(2, NOW));
    Alert alert = alerts.due(judgement()).get(0);
    assertThat(alert.kind()).isEqualTo(Alert.Kind.JUDGEMENT_WAITS);
    assertThat(alert.labels()).containsEntry("reason", "node").containsEntry("node", "1");
    assertThat(alerts.due(judgement())).isEmpty();
    reports(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    assertThat(alerts.due(judgement())).isEmpty();
    reports(reached(0, NOW), reached(1, NOW - 6 * SECOND), reached(2, NOW));
    assertThat(alerts.due(judgement())).hasSize(1);
  }

  @Test
  void aStartingClusterIsNotAlertedAsItsPartsStartInTurn() {
    WaitAlerts alerts = new WaitAlerts(STARTED);
    assertThat(alerts.due(Waits.of(known(STARTED + 20 * SECOND)))).isEmpty();
    assertThat(alerts.due(Waits.of(known(STARTED + 31 * SECOND)))).hasSize(1);
  }

  @Test
  void aDifferentEpsilonIsNamedWithBothValuesAndAlertedAtOnce() {
    join(STARTED, 0, 1, 2);
    JudgementReport report = report(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    publish(report.toBuilder().setEpsilon("10ms").build());
    epsilons.putAll(Map.of(0, Epsilon.ofMicros(10_000), 1, Epsilon.ofMicros(10_000)));
    assertThat(judgement().waits()).isEmpty();

    epsilons.put(2, Epsilon.INFINITE);
    Wait wait = onlyWait();
    assertThat(wait.reason()).isEqualTo(Wait.Reason.EPSILON);
    assertThat(wait.what())
        .isEqualTo(
            "parts run with different epsilons, so verdicts may be wrong: 10ms at the detection"
                + " job, node 0, node 1; inf at node 2");
    assertThat(wait.wayOut()).isEqualTo("restart them with one --epsilon");
    assertThat(wait.sinceMicros()).isEqualTo(STARTED);
    assertThat(wait.standsStill(STARTED)).isTrue();
    assertThat(new WaitAlerts(NOW).due(judgement()))
        .singleElement()
        .satisfies(alert -> assertThat(alert.labels()).containsEntry("reason", "epsilon"));
  }

  @Test
  void theEpsilonOfAJobOfAnEarlierReleaseIsNotCompared() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    epsilons.put(0, Epsilon.ofMicros(10_000));
    assertThat(judgement().waits()).isEmpty();
    epsilons.put(1, Epsilon.ofMicros(50_000));
    assertThat(onlyWait().what()).endsWith("10ms at node 0; 50ms at node 1");
  }

  @Test
  void aClockThatWasSetBackIsNamedAndSpoilsAll() {
    join(STARTED, 0, 1, 2);
    reports(reached(0, NOW), reached(1, NOW), reached(2, NOW));
    long judged = NOW - 10 * SECOND;
    assertThat(Waits.isSetBack(state, judged - 2 * SECOND)).isFalse();
    assertThat(Waits.isSetBack(state, judged - 2 * SECOND - 1)).isTrue();

    setBackSince = judged - 60 * SECOND;
    Judgement judgement = Waits.of(known(setBackSince + 6 * SECOND));
    assertThat(new WaitAlerts(STARTED).due(judgement)).hasSize(1);
    assertThat(judgement.standing())
        .singleElement()
        .satisfies(
            wait -> {
              assertThat(wait.reason()).isEqualTo(Wait.Reason.CLOCK);
              assertThat(wait.reason().spoilsAll()).isTrue();
              assertThat(wait.what())
                  .isEqualTo(
                      "the clock of the orchestrator's machine was set back: it is 54 s behind"
                          + " what was judged");
            });
  }

  private Wait onlyWait() {
    assertThat(judgement().waits()).hasSize(1);
    return judgement().waits().get(0);
  }

  private Judgement judgement() {
    return Waits.of(known(NOW));
  }

  private Waits.Known known(long nowMicros) {
    Map<Integer, Long> all = new HashMap<>(reported);
    joined.forEach(node -> all.putIfAbsent(node.node(), nowMicros));
    return new Waits.Known(
        state,
        job,
        new NodeReports.Nodes(joined, epsilons, off, refusing, awaitRepair, all),
        parts,
        unreachableSince,
        answersSince,
        setBackSince,
        STARTED,
        nowMicros);
  }

  private void join(long atMicros, int... nodes) {
    for (int node : nodes) {
      ControlRecord record =
          ControlRecord.newBuilder()
              .setAtMicros(atMicros)
              .setNodeJoined(NodeJoined.newBuilder().setNode(node).setIncarnation(1))
              .build();
      joined.add(NodeStatus.after(null, node, record));
    }
  }

  private void reports(NodeReached... nodes) {
    publish(report(nodes));
  }

  private void publish(JudgementReport report) {
    job = job.after(record(report), NOW, NOW);
    step(new Event.Judged(Hlc.ofMicros(NOW - 10 * SECOND), NOW));
  }

  private static JudgementReport report(NodeReached... nodes) {
    return JudgementReport.newBuilder()
        .setAtMicros(NOW)
        .setStartedMicros(STARTED)
        .addAllNodes(List.of(nodes))
        .build();
  }

  private static ViolationRecord record(JudgementReport report) {
    return ViolationRecord.newBuilder().setJudged(Judged.newBuilder().setReport(report)).build();
  }

  private static NodeReached reached(int node, long micros) {
    return NodeReached.newBuilder()
        .setNode(node)
        .setHlc(Hlc.ofMicros(micros))
        .setReadMicros(micros)
        .build();
  }

  private void open(long atMicros) {
    read(
        ControlRecord.newBuilder()
            .setEpoch(1)
            .setAtMicros(atMicros)
            .setPlanOpened(PlanOpened.newBuilder().setTarget(Hlc.ofMicros(NOW - 20 * SECOND)))
            .build());
  }

  private void read(ControlRecord record) {
    step(new Event.ControlRead(record, record.getAtMicros()));
  }

  private void step(Event event) {
    state = RollbackMachine.step(state, event).next();
  }
}
