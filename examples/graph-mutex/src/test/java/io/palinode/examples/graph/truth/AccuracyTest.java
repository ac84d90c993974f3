package io.palinode.examples.graph.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Rule;
import io.palinode.voldemort.client.session.RolledBack;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccuracyTest {
  private static final Edge EDGE = new Edge(3, 7);

  private final SectionLog a = new SectionLog(0);
  private final SectionLog b = new SectionLog(1);

  /** One long section at a, which two sections at b overlap. */
  @BeforeEach
  void longSectionMeetsTwoShortOnes() {
    a.wrote(EDGE, 3, "1", 10, 11, 100);
    b.wrote(EDGE, 7, "1", 12, 13, 101);
    b.wrote(EDGE, 7, "c1", 14, 15, 102);
    b.wrote(EDGE, 7, "1", 16, 17, 103);
    b.wrote(EDGE, 7, "c2", 18, 19, 104);
  }

  @Test
  void allReportedIsPerfect() {
    a.wrote(EDGE, 3, "c0", 20, 21, 105);
    Accuracy accuracy = compare(new Detected(EDGE, 100, 101), new Detected(EDGE, 100, 103));
    assertThat(accuracy.precision()).isEqualTo(1);
    assertThat(accuracy.recall()).isEqualTo(1);
    assertThat(accuracy.found()).isEqualTo(2);
  }

  @Test
  void violationIsFoundWhenBothItsSpansAreNamedInOtherReports() {
    b.wrote(EDGE, 7, "1", 20, 21, 106);
    a.wrote(EDGE, 3, "c0", 22, 23, 107);
    a.wrote(EDGE, 3, "1", 24, 25, 108);
    // Pairs: (100,101) (100,103) (100,106) (108,106). Each span is in one of these reports.
    Accuracy accuracy =
        compare(
            new Detected(EDGE, 100, 101),
            new Detected(EDGE, 100, 103),
            new Detected(EDGE, 108, 106));
    assertThat(accuracy.violations()).isEqualTo(4);
    assertThat(accuracy.found()).isEqualTo(4);
  }

  @Test
  void violationWithoutAReportIsMissed() {
    a.wrote(EDGE, 3, "c0", 20, 21, 105);
    Accuracy accuracy = compare(new Detected(EDGE, 100, 101));
    assertThat(accuracy.recall()).isEqualTo(0.5);
    assertThat(accuracy.missed()).singleElement().matches(v -> v.violateHlc() == 103);
  }

  @Test
  void violationThatWasTakenBackWithAnotherIsNotMissed() {
    a.rolledBack(new RolledBack(0, 1, 100, 0), 30);
    b.rolledBack(new RolledBack(0, 1, 100, 0), 31);
    Accuracy accuracy = compare(new Detected(EDGE, 100, 101));
    assertThat(accuracy.found()).isEqualTo(1);
    assertThat(accuracy.takenBack()).isEqualTo(1);
    assertThat(accuracy.recall()).isEqualTo(1);
  }

  @Test
  void reportOfSpansThatDidNotMeetIsFalse() {
    a.wrote(EDGE, 3, "c0", 20, 21, 105);
    b.wrote(EDGE, 7, "1", 30, 31, 110);
    Detected phantom = new Detected(EDGE, 100, 110);
    Detected elsewhere = new Detected(new Edge(3, 8), 100, 101);
    Accuracy accuracy = compare(new Detected(EDGE, 100, 101), phantom, phantom, elsewhere);
    assertThat(accuracy.reported()).isEqualTo(3);
    assertThat(accuracy.falseReports()).containsExactlyInAnyOrder(phantom, elsewhere);
    assertThat(accuracy.precision()).isEqualTo(1.0 / 3);
  }

  @Test
  void nothingReportedAndNothingHappenedIsPerfect() {
    Accuracy accuracy = Accuracy.compare(Rule.PROPER_COLOURING, List.of(), Truth.of(List.of(a, b)));
    assertThat(accuracy.precision()).isEqualTo(1);
    assertThat(accuracy.recall()).isEqualTo(1);
  }

  private Accuracy compare(Detected... detected) {
    return Accuracy.compare(Rule.EDGE_MUTEX, List.of(detected), Truth.of(List.of(a, b)));
  }
}
