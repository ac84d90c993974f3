package io.palinode.cli.detect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Traces of a clause with {@code within}: an answer to each trigger within 1 s, ε = 10 ms. */
class DetectWithinTest extends DetectFixture {
  private static final String WITHIN =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: p}
      spec:
        violation:
          - within:
              time: 1s
              after: {var: order, equals: paid}
              missing: {var: parcel, equals: sent}
      """;
  private static final String PAID = line(0, 0, 1, "1000/0", "1500/0");

  @BeforeEach
  void writeWithin() throws IOException {
    Files.writeString(predicate, WITHIN);
  }

  @Test
  void aTriggerWithoutAnAnswerIsAViolation() {
    assertThat(detect(PAID, line(1, 1, 7, "0/5000000", null))).isOne();
    assertThat(out)
        .hasToString(
            """
            {"clause":0,"witnesses":[{"term":0,"node":0,"seq":1}],"grade":"definite",\
            "first":"1000","violate":"1011000",\
            "meaning":"definite: term 0 on node 0 began at 1970-01-01T00:00:00.001000Z, and term 1\
             held on no node within 1s after that, by clocks that differ by at most 10ms"}
            """);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anAnswerInTimeIsNone() {
    assertThat(detect(PAID, line(1, 1, 7, "0/500000", null))).isZero();
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void anAnswerCloserThanEpsilonToTheEndOfTheTimeIsNamed() {
    assertThat(detect(PAID, line(1, 1, 7, "0/1004000", "0/2000000"))).isOne();
    assertThat(out)
        .hasToString(
            """
            {"clause":0,"witnesses":[{"term":0,"node":0,"seq":1},{"term":1,"node":1,"seq":7}],\
            "grade":"possible","first":"1000","violate":"1011000",\
            "meaning":"possible: term 0 on node 0 began at 1970-01-01T00:00:00.001000Z, and term 1 on\
             node 1 began 3 ms after the end of that time; clocks differ by at most 10ms, so it may\
             have held within 1s after that"}
            """);
  }

  @Test
  void anAnswerThatEndedCloseToTheTriggerIsNamed() {
    assertThat(detect(line(1, 1, 7, "0/100", "0/900"), PAID, line(0, 0, 2, "2000000/0", null)))
        .isOne();
    assertThat(out.toString()).contains("term 1 on node 1 ended 0.1 ms before that; clocks");
    assertThat(err.toString()).contains("unknown");
  }

  /** The trace does not show what came after it. */
  @Test
  void aTriggerNearTheEndOfTheTraceIsUnknown() {
    assertThat(detect(PAID)).isEqualTo(3);
    assertThat(err)
        .hasToString(
            "palinode: unknown: the trace ends before the time of 1 interval of 'after' is over, so"
                + " violations from 1011000 on may be missing\n");
  }

  @Test
  void ofMoreThanTenUnknownInstancesTheRestIsCounted() throws IOException {
    Files.writeString(
        predicate,
        WITHIN
            .replace("spec:\n", "spec:\n  forEach: {order: \"{o}\"}\n")
            .replace("var: order", "var: \"order_{o}\"")
            .replace("var: parcel", "var: \"parcel_{o}\""));
    String[] lines = new String[11];
    for (int order = 0; order < lines.length; order++) {
      lines[order] = bound("o=" + order, line(0, 0, order, "1000/0", "1500/0"));
    }
    assertThat(detect(lines)).isEqualTo(3);
    assertThat(err.toString())
        .contains("palinode: unknown: 1 more instance was not judged to the end\n")
        .hasLineCount(11);
  }

  @Test
  void copiesOfOneVersionAskForOneAnswer() {
    assertThat(
            detect(
                replica(0, 0, 1, "1000/0", "1500/0", "k@1", 0),
                replica(1, 0, 1, "0/1400", "0/1500", "k@1", 0),
                line(1, 1, 7, "0/5000000", null)))
        .isOne();
    assertThat(out.toString()).hasLineCount(1);
  }

  @Test
  void whatCannotMeasureTimesIsRefused() {
    assertThat(detectWith(List.of("--epsilon", "inf"), PAID)).isEqualTo(2);
    assertThat(err.toString()).contains("--epsilon must not be inf");
    assertThat(detectWith(List.of("--replicas", "first"), PAID)).isEqualTo(2);
    assertThat(err.toString()).contains("within needs --replicas any");
  }

  @Test
  void theFirstIsTheOneWhoseTimeIsOverFirst() {
    String later = line(1, 0, 3, "0/2000", null);
    assertThat(
            detectWith(List.of("--report", "first"), later, PAID, line(1, 1, 7, "0/5000000", null)))
        .isOne();
    assertThat(out.toString()).hasLineCount(1).contains("\"violate\":\"1011000\"");
  }
}
