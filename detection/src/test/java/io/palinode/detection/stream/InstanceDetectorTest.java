package io.palinode.detection.stream;

import static io.palinode.detection.Given.at;
import static io.palinode.detection.Given.candidate;
import static io.palinode.detection.Given.causal;
import static io.palinode.detection.Given.conservative;
import static io.palinode.detection.Given.firstReplicas;
import static io.palinode.detection.Given.hvc;
import static io.palinode.detection.Given.names;
import static io.palinode.detection.Given.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Ended;
import io.palinode.detection.Witness;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a detector decides, what it forgets, and what it refuses. */
class InstanceDetectorTest {
  private InstanceDetector detector = InstanceDetector.create(causal(2, "10us", 2));

  @Test
  void whatIsAskedToBeWokenForIsAlwaysToCome() {
    InstanceDetector detector = InstanceDetector.create(firstReplicas(conservative(3, "10us", 2)));
    detector.progress(at(900));
    // A copy, its end, and then the same version found at the node that had accepted it.
    detector.opened(version(1, 0, 1, "940/950/940", null, "v", 0));
    detector.closed(version(1, 0, 1, "940/950/940", "990/1000/990", "v", null), "w", 1);
    detector.opened(version(0, 0, 1, "2000/1990/1990", null, "v", null));
    detector.progress(at(1999));
    assertThat(detector.wakeAt()).isGreaterThan(at(1999));
  }

  @Test
  void anIntervalThatOpensIsUsedAtOnce() {
    assertThat(opened(0, 0, 1, "100/90")).isEmpty();
    assertThat(opened(1, 1, 1, "90/100")).containsExactly("0:1 1:1");
  }

  @Test
  void aReportEndsWithTheFirstOfItsIntervals() {
    opened(0, 0, 1, "100/90");
    opened(1, 1, 1, "90/100");
    assertThat(detector.ended()).isEmpty();
    closed(1, 1, 1, "90/100", "190/200");
    List<CandidateId> witnesses = List.of(new CandidateId(0, 1, 1), new CandidateId(1, 1, 1));
    assertThat(detector.ended()).containsExactly(new Ended(0, witnesses, at(200)));
    closed(0, 0, 1, "100/90", "300/290");
    assertThat(detector.ended()).isEmpty();
  }

  @Test
  void aReportOfAnIntervalThatHadEndedHasItsEnd() {
    opened(0, 0, 1, "100/90");
    closed(0, 0, 1, "100/90", "200/100");
    List<Witness> found = detector.opened(candidate(1, 1, 1, "90/150", null));
    assertThat(found).singleElement().extracting(Witness::ended).isEqualTo(at(200));
    closed(1, 1, 1, "90/150", "190/160");
    assertThat(detector.ended()).isEmpty();
  }

  @Test
  void aRestartOfANodeEndsTheReportsOfItsIntervals() {
    opened(0, 0, 1, "100/90");
    opened(1, 1, 1, "90/100");
    detector.restarted(1, 2, hvc(1, "300/310"));
    assertThat(detector.ended()).singleElement().extracting(Ended::hlc).isEqualTo(at(310) - 1);
  }

  @Test
  void aPairIsPendingWhileTheOpenOneCouldStillEndBeforeTheOther() {
    opened(0, 0, 1, "100/90");
    // J knows node 0 up to 120; node 0 has shown 100.
    assertThat(opened(1, 1, 1, "120/130")).isEmpty();
    assertThat(detector.wakeAt()).isEqualTo(at(120));
    assertThat(progress(at(120) - 1)).isEmpty();
    assertThat(progress(at(120))).containsExactly("0:1 1:1");
  }

  @Test
  void anEndBeforeTheOtherStartDecidesAgainstAPair() {
    opened(0, 0, 1, "100/90");
    opened(1, 1, 1, "120/130");
    assertThat(closed(0, 0, 1, "100/90", "110/100")).isEmpty();
    assertThat(progress(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void aLaterEventOfTheNodeDecidesWithoutProgress() {
    opened(0, 0, 1, "100/90");
    opened(1, 1, 1, "120/130");
    assertThat(opened(0, 1, 2, "140/100")).contains("0:1 1:1");
  }

  @Test
  void theConservativeRuleDecidesAsSoonAsAnEndWouldBeTooClose() {
    detector = InstanceDetector.create(conservative(2, "10us", 2));
    opened(0, 0, 1, "100/90");
    assertThat(opened(1, 1, 1, "125/130")).isEmpty();
    assertThat(detector.wakeAt()).as("less than 10 µs before 130").isEqualTo(at(121) - 1);
    assertThat(progress(at(121) - 2)).isEmpty();
    List<Witness> found = detector.progress(at(121) - 1);
    assertThat(names(found)).containsExactly("0:1 1:1");
    assertThat(found.get(0).grade()).as("it may end before 130").isEqualTo(Grade.UNCERTAIN);
  }

  @Test
  void twoTermsOfOneNodeNeedNoWaiting() {
    opened(0, 0, 1, "100/90");
    assertThat(opened(0, 1, 2, "120/90")).containsExactly("0:1 0:2");
  }

  @Test
  void onlyOpenIntervalsAskForNoWakeUp() {
    opened(0, 0, 1, "100/90");
    assertThat(detector.wakeAt()).isEqualTo(Long.MAX_VALUE);
    assertThat(detector.isEmpty()).isFalse();
    progress(at(1_000_000));
    assertThat(detector.isEmpty()).isFalse();
  }

  @Test
  void aClosedIntervalGoesTwoEpsilonAfterItsEnd() {
    opened(0, 0, 1, "100/90");
    closed(0, 0, 1, "100/90", "200/190");
    assertThat(detector.wakeAt()).isEqualTo(at(221));
    progress(at(219));
    assertThat(detector.isEmpty()).isFalse();
    progress(at(221));
    assertThat(detector.isEmpty()).isTrue();
    assertThat(detector.wakeAt()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void onASingleNodeAClosedIntervalGoesWithTheNextEvent() {
    detector = InstanceDetector.create(conservative(1, "100s", 2));
    opened(0, 0, 1, "100");
    closed(0, 0, 1, "100", "200");
    assertThat(detector.isEmpty()).isFalse();
    detector.restarted(0, 2, hvc(0, "300"));
    assertThat(detector.isEmpty()).isTrue();
  }

  @Test
  void aNodeWhoseClockWasPushedAheadByOthersCanStillStartConcurrently() {
    detector = InstanceDetector.create(causal(3, "10us", 2));
    opened(0, 0, 1, "150/140/140");
    closed(0, 0, 1, "150/140/140", "200/190/190");
    progress(at(211));
    // Node 1's physical clock is 202; node 2, which had not received 200 either, pushed it to 212.
    assertThat(opened(1, 1, 1, "192/213/212")).containsExactly("0:1 1:1");
  }

  @Test
  void aClosedIntervalStaysWhileAPairThatItIsConcurrentWithIsPending() {
    detector = InstanceDetector.create(causal(2, "10us", 3));
    opened(0, 0, 1, "100/90");
    opened(1, 1, 1, "300/310");
    closed(1, 1, 1, "300/310", "300/320");
    opened(1, 2, 2, "305/315");
    assertThat(progress(at(300))).isEmpty();
    assertThat(progress(at(306))).containsExactly("0:1 1:1 1:2");
  }

  @Test
  void withoutABoundOnlyWhatEveryNodeKnowsOfGoes() {
    detector = InstanceDetector.create(causal(2, "inf", 2));
    opened(0, 0, 1, "100/90");
    closed(0, 0, 1, "100/90", "200/190");
    assertThat(detector.wakeAt()).as("no progress would do").isEqualTo(Long.MAX_VALUE);
    progress(at(1_000_000));
    assertThat(detector.isEmpty()).isFalse();
    opened(1, 0, 1, "200/2000000");
    closed(1, 0, 1, "200/2000000", "200/3000000");
    opened(0, 0, 2, "4000000/3000000");
    assertThat(detector.toBytes().length).isPositive();
    closed(0, 0, 2, "4000000/3000000", "5000000/3000000");
    opened(1, 1, 2, "5000000/6000000");
    // Both nodes know of the first two by now.
    assertThat(DetectorCodec.decode(causal(2, "inf", 2), detector.toBytes()).retained())
        .extracting(interval -> interval.candidate().id().toString())
        .hasSize(2);
  }

  @Test
  void atMostSoManyIntervalsAreKeptAndTheRestIsCounted() {
    detector = InstanceDetector.create(causal(2, "inf", 2), kept(10));
    for (int i = 1; i <= 15; i++) {
      opened(0, 0, i, i * 100 + "/0");
      closed(0, 0, i, i * 100 + "/0", i * 100 + 50 + "/0");
    }
    assertThat(detector.overflowed()).isEqualTo(5);
    assertThat(opened(1, 1, 1, "0/150")).hasSize(10).startsWith("0:6 1:1");
  }

  @Test
  void overflowIsKeptInTheBytes() {
    DetectionSpec spec = causal(2, "inf", 2);
    detector = InstanceDetector.create(spec, kept(1));
    opened(0, 0, 1, "100/0");
    opened(0, 0, 2, "200/0");
    assertThat(InstanceDetector.restore(spec, detector.toBytes()).overflowed()).isOne();
  }

  @Test
  void aClauseOfOneTermKeepsNothingThatIsClosed() {
    detector = InstanceDetector.create(causal(2, "inf", 1));
    assertThat(opened(0, 0, 1, "100/0")).containsExactly("0:1");
    closed(0, 0, 1, "100/0", "200/0");
    assertThat(detector.isEmpty()).isTrue();
  }

  @Test
  void anEndWithoutAnOpeningIsAnInterval() {
    opened(1, 1, 1, "90/100");
    assertThat(closed(0, 0, 1, "100/90", "200/190")).containsExactly("0:1 1:1");
    assertThat(closed(0, 0, 1, "100/90", "200/190")).as("repeated").isEmpty();
    assertThat(opened(1, 1, 1, "90/100")).as("repeated").isEmpty();
    progress(at(1_000));
    assertThat(closed(0, 0, 1, "100/90", "200/190")).as("repeated late").isEmpty();
    assertThat(detector.wakeAt()).isEqualTo(Long.MAX_VALUE);
  }

  /** For example if the sender dropped it and published it again. */
  @Test
  void aLateEndEndsItsIntervalThoughProgressHasPassedIt() {
    for (boolean joined : new boolean[] {false, true}) {
      DetectionSpec spec = causal(2, "10us", 2);
      detector = InstanceDetector.create(joined ? firstReplicas(spec) : spec);
      detector.opened(version(0, 0, 1, "100/90", null, "v", 0));
      detector.progress(at(200));
      detector.closed(version(0, 0, 1, "100/90", "110/100", "v", 0), "w", 0);
      assertThat(detector.opened(version(1, 1, 1, "220/230", null, "u", 1))).isEmpty();
      assertThat(detector.progress(at(300))).as("joined=%s", joined).isEmpty();
    }
  }

  @Test
  void aRestartEndsTheOpenIntervalsOfItsNode() {
    opened(0, 0, 1, "100/90");
    Candidate again =
        new Candidate(
            0,
            0,
            new CandidateId(0, 2, 1),
            new Interval(hvc(0, "500/400"), null),
            "",
            null,
            new byte[0]);
    detector.opened(again);
    // Node 1 knew of the restart; of the two intervals it is concurrent with the second one only.
    assertThat(opened(1, 1, 1, "500/600")).isEmpty();
    assertThat(progress(at(700))).containsExactly("0:1 1:1");
    assertThat(closed(0, 0, 1, "100/90", "900/800")).as("of the earlier incarnation").isEmpty();
  }

  @Test
  void theGradeOfAnOpenIntervalRisesAsItsNodesClockDoes() {
    List<Witness> found;
    opened(0, 0, 1, "100/0");
    found = detector.opened(candidate(1, 1, 1, "0/100", null));
    assertThat(found).extracting(Witness::grade).containsExactly(Grade.POSSIBLE);
    assertThat(detector.raised()).isEmpty();
    assertThat(detector.wakeAt()).as("more than 10 µs after both starts").isEqualTo(at(111) - 1);
    assertThat(detector.progress(at(111) - 1)).isEmpty();
    assertThat(detector.raised()).extracting(Witness::grade).containsExactly(Grade.DEFINITE);
    assertThat(names(detector.raised())).isEqualTo(names(found));
    assertThat(detector.wakeAt()).isEqualTo(Long.MAX_VALUE);
    detector.progress(at(200));
    assertThat(detector.raised()).isEmpty();
  }

  @Test
  void aGradeThatRisesIsInTheBytes() {
    DetectionSpec spec = causal(2, "10us", 2);
    opened(0, 0, 1, "100/0");
    opened(1, 1, 1, "0/100");
    detector = InstanceDetector.restore(spec, detector.toBytes());
    detector.closed(candidate(1, 1, 1, "0/100", "0/110"), "", null);
    assertThat(detector.raised()).as("110 is not more than 10 µs after 100").isEmpty();
    detector = InstanceDetector.restore(spec, detector.toBytes());
    progress(at(200));
    assertThat(detector.raised()).isEmpty();
    detector.closed(candidate(0, 0, 1, "100/0", "300/0"), "", null);
    progress(at(400));
    assertThat(detector.isEmpty()).isTrue();
  }

  @Test
  void anUncertainReportHidesNoBetterOneOfTheSameIntervals() {
    detector = InstanceDetector.create(conservative(3, "10us", 2));
    opened(0, 0, 1, "100/0/0");
    closed(0, 0, 1, "100/0/0", "150/0/0");
    opened(1, 1, 1, "0/100/0");
    closed(1, 1, 1, "0/100/0", "0/205/0");
    opened(2, 1, 1, "0/0/100");
    assertThat(closed(2, 1, 1, "0/0/100", "0/0/215")).as("both were named").isEmpty();
    // After the end at node 1, but within ε; and in no order with what held at node 2.
    List<Witness> found = detector.opened(candidate(0, 0, 2, "210/205/0", null));
    assertThat(names(found)).containsExactly("0:2 2:1");
    assertThat(found.get(0).grade()).isEqualTo(Grade.POSSIBLE);
  }

  @Test
  void theEarliestViolationIsReportedEvenIfItsIntervalsWereNamed() {
    detector = InstanceDetector.create(causal(3, "10us", 2));
    opened(2, 0, 1, "0/0/100");
    assertThat(opened(2, 1, 2, "0/0/300")).containsExactly("2:1 2:2");
    assertThat(opened(0, 0, 1, "400/0/0")).containsExactly("0:1 2:2");
    // Late: the violation began at 200, with an interval that was named for one at 300.
    List<Witness> found = detector.opened(candidate(1, 1, 1, "0/200/0", null));
    assertThat(names(found)).containsExactly("2:1 1:1");
    assertThat(found.get(0).violate()).isEqualTo(at(200));
  }

  @Test
  void aVersionsIntervalStartsWhereItWasAcceptedAndEndsWhereItWasSupersededFirst() {
    detector = InstanceDetector.create(firstReplicas(causal(3, "10us", 2)));
    detector.opened(version(1, 0, 1, "100/110/90", null, "x@1", 0));
    assertThat(detector.isEmpty()).as("a copy").isTrue();
    detector.closed(version(1, 0, 1, "100/110/90", "100/200/180", "x@1", null), "x@2", 2);
    assertThat(detector.wakeAt()).as("an end without a start").isEqualTo(at(200) + 1);
    detector.opened(version(0, 0, 1, "100/90/90", null, "x@1", 0));
    detector.closed(version(0, 0, 1, "100/90/90", "250/240/240", "x@1", null), "x@2", 2);
    // Node 0 left it at 250, but node 1 at 200 already.
    assertThat(names(detector.opened(candidate(2, 1, 1, "100/210/220", null)))).isEmpty();
    assertThat(progress(at(1_000))).isEmpty();
    assertThat(names(detector.opened(candidate(2, 1, 2, "100/190/1990", null)))).isEmpty();
  }

  @Test
  void stateThatWasFoundStartsWithTheEarliestThatFoundIt() {
    detector = InstanceDetector.create(firstReplicas(causal(2, "10us", 2)));
    detector.opened(version(1, 0, 1, "0/120", null, "x@1", null));
    assertThat(detector.wakeAt()).isEqualTo(at(120));
    detector.opened(version(0, 0, 1, "110/0", null, "x@1", null));
    assertThat(names(detector.opened(candidate(1, 1, 2, "0/130", null))))
        .as("node 1 was past 110")
        .containsExactly("0:1 1:2");
    detector.opened(version(1, 0, 3, "0/200", null, "x@1", null));
    assertThat(names(detector.opened(candidate(1, 1, 4, "0/210", null))))
        .as("known")
        .containsExactly("0:1 1:4");
  }

  @Test
  void withJoinedReplicasARestartEndsNothing() {
    detector = InstanceDetector.create(firstReplicas(causal(2, "10us", 2)));
    detector.opened(version(0, 0, 1, "100/90", null, "x@1", 0));
    Candidate again =
        new Candidate(
            0,
            0,
            new CandidateId(0, 2, 1),
            new Interval(hvc(0, "500/400"), null),
            "x@1",
            null,
            new byte[0]);
    detector.opened(again);
    detector.opened(candidate(1, 1, 1, "500/600", null));
    assertThat(progress(at(700))).containsExactly("0:1 1:1");
  }

  /** With joined replicas a restart ends nothing, so the end must be read. */
  @Test
  void anIntervalPublishedWithoutTimesEndsWithAnEndThatHasThem() {
    detector = InstanceDetector.create(firstReplicas(causal(2, "10us", 2)));
    detector.opened(version(0, 0, 1, "100/90", null, "s/x@01", 0));
    // The node publishes times by now and has found the version again.
    detector.opened(version(0, 0, 2, "150/140", null, "s/x@01.7", null));
    detector.closed(version(0, 0, 2, "150/140", "200/190", "s/x@01.7", null), "", 0);
    detector.opened(candidate(1, 1, 1, "500/600", null));
    assertThat(progress(at(1_000))).isEmpty();
  }

  @Test
  void aVersionOfTheSameClockAtAnotherTimeIsAnother() {
    detector = InstanceDetector.create(firstReplicas(causal(2, "10us", 2)));
    detector.opened(version(0, 0, 1, "100/90", null, "s/x@01.7", 0));
    detector.closed(version(0, 0, 1, "100/90", "200/190", "s/x@01.7", null), "", null);
    detector.opened(version(0, 0, 3, "210/200", null, "s/x@01.9", 0));
    detector.opened(candidate(1, 1, 1, "220/230", null));
    assertThat(progress(at(1_000))).containsExactly("0:3 1:1");
  }

  @Test
  void whatDoesNotFitIsRefusedAndChangesNothing() {
    byte[] before = detector.toBytes();
    assertThatThrownBy(() -> detector.opened(candidate(0, 2, 1, "100/90", null)))
        .hasMessageContaining("terms per clause=[2] clause=0 term=2");
    assertThatThrownBy(() -> detector.opened(candidate(0, 0, 1, "100/90/80", null)))
        .hasMessageContaining("has 2 entries");
    assertThatThrownBy(() -> detector.opened(candidate(0, 0, 1, "100/90", "110/90")))
        .hasMessageContaining("opens without an end");
    assertThatThrownBy(() -> detector.closed(candidate(0, 0, 1, "100/90", null), "", null))
        .hasMessageContaining("closes with an end");
    assertThatThrownBy(() -> kept(0)).hasMessageContaining("intervalsMax=0");
    assertThat(detector.toBytes()).isEqualTo(before);
  }

  @Test
  void aHundredThousandMembersThatComeAndGoCostWhatIsActive() {
    DetectionSpec one = causal(2, "10us", 1);
    ClauseShape twoHolders = new ClauseShape(new ClauseRule.AtLeast(2, "c"), List.of(1));
    detector =
        InstanceDetector.create(
            new DetectionSpec(2, List.of(twoHolders), one.causality(), one.replicas()));
    int bytesMax = 0;
    for (int member = 0; member < 100_000; member++) {
      int node = member % 2;
      long micros = 1_000 + 100L * member;
      String start = micros + "/" + micros;
      String end = micros + 50 + "/" + (micros + 50);
      String name = "c=" + member;
      detector.opened(candidate(node, 0, member, start, null).ofMember(name));
      detector.closed(candidate(node, 0, member, start, end).ofMember(name), "", null);
      assertThat(detector.progress(at(micros + 99))).isEmpty();
      if (member % 1_000 == 0) {
        bytesMax = Math.max(bytesMax, detector.toBytes().length);
      }
    }
    assertThat(bytesMax).isLessThan(2_000);
  }

  private List<String> opened(int node, int term, long sequence, String start) {
    return names(detector.opened(candidate(node, term, sequence, start, null)));
  }

  private List<String> closed(int node, int term, long sequence, String start, String end) {
    return names(detector.closed(candidate(node, term, sequence, start, end), "", null));
  }

  private List<String> progress(long hlc) {
    return names(detector.progress(hlc));
  }

  private static DetectionLimits kept(int intervalsMax) {
    return DetectionLimits.DEFAULT.withIntervalsMax(intervalsMax);
  }
}
