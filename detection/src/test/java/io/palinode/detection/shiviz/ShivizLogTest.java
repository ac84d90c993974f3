package io.palinode.detection.shiviz;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.CandidateId;
import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ReplicaRule;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hosts of a log and what they know of each other. */
class ShivizLogTest {
  private static final Hvc ACCEPTED = Hvc.of(0, 100, 0);
  private static final Hvc COPIED = Hvc.of(1, 100, 200);

  @Test
  void aWriteOfAClientComesBeforeItsAcceptanceAndItsCopies() throws IOException {
    assertThat(
            log(
                List.of(
                    held(0, 0, ACCEPTED, "ann", value("x", "1", "0a")),
                    held(1, 1, COPIED, "ann", value("x", "1", "0a"))),
                List.of(held(1, 1, Hvc.of(1, 100, 300), "ann", value("y", "2", "0b")))))
        .isEqualTo(
            """
            writes x = 1
            ann - {"ann":1}
            term 0 holds, open to the end: x = 1
            node0 0.100 {"node0":1, "ann":1}
            term 1 holds, open to the end: x = 1
            node1 0.200 {"node0":1, "node1":1, "ann":1}
            writes y = 2
            ann - {"ann":2}
            nearby: term 1 holds, open to the end: y = 2
            node1 0.300 {"node0":1, "node1":2, "ann":2}
            """);
  }

  @Test
  void whatANodeLearntOfAClientItPassesOn() throws IOException {
    assertThat(
            log(
                List.of(held(0, 0, ACCEPTED, "ann", value("x", "1", "0a"))),
                List.of(held(1, 1, COPIED, "", value("y", "2", "0b")))))
        .endsWith("node1 0.200 {\"node0\":1, \"node1\":1, \"ann\":1}\n");
  }

  @Test
  void twoWritesOfUnknownVersionsAreTwo() throws IOException {
    assertThat(
            log(
                List.of(held(0, 0, ACCEPTED, "a b", value("x", "1", ""))),
                List.of(held(0, 0, Hvc.of(0, 150, 0), "node1", value("x", "1", "")))))
        .contains("\na%20b - {\"a%20b\":1}\n", "\n%6Eode1 - {\"%6Eode1\":1}\n");
  }

  @ParameterizedTest
  @CsvSource({"ä1, ö1", "a b, a_b", "node1, %6Eode1", "a+b, a b"})
  void twoClientsAreTwoHosts(String one, String other) throws IOException {
    assertThat(
            log(
                List.of(held(0, 0, ACCEPTED, one, value("x", "1", "0a"))),
                List.of(held(1, 0, Hvc.of(0, 150, 0), other, value("y", "1", "0b")))))
        .doesNotContain("\":2}");
  }

  @Test
  void ofSiblingsNoneIsTheWriteOfTheClient() throws IOException {
    HeldValue first = value("x", "1", "0a");
    assertThat(
            log(
                List.of(held(0, 0, ACCEPTED, "bob", first, value("x", "2", "0b"))),
                List.of(
                    held(0, 0, Hvc.of(0, 150, 0), "bob", first, value("x", "3", "0c")),
                    held(1, 0, Hvc.of(0, 160, 0), "ann", first))))
        .contains("writes x\nbob - {\"bob\":1}", "writes x\nbob - {\"bob\":2}")
        .contains("writes x = 1\nann - ")
        .doesNotContain("writes x = 1, ");
  }

  @Test
  void aPutIsDrawnWithoutTheVersionThatItLost() throws IOException {
    HeldValue lost = new HeldValue("s", "x", "1", "0a", Role.LOST);
    assertThat(log(List.of(held(0, 0, ACCEPTED, "ann", value("x", "2", "0b"), lost)), List.of()))
        .contains("writes x = 2\nann - ");
  }

  @Test
  void aReadIsNoWriteAndASupersededValueIsNotWritten() throws IOException {
    HeldValue seen = new HeldValue("s", "x", "", "0a", Role.READ);
    HeldValue lost = new HeldValue("s", "y", "1", "0b", Role.LOST);
    assertThat(
            log(
                List.of(held(0, 0, ACCEPTED, "ann", seen)),
                List.of(held(1, 1, COPIED, "bob", lost))))
        .contains("reads x\nann - ", "writes y\nbob - ");
  }

  private static String log(List<HeldInterval> witnesses, List<HeldInterval> around)
      throws IOException {
    StringBuilder log = new StringBuilder();
    PortableWitness witness =
        new PortableWitness(
            new PortableWitness.Subject("p", 1, "", "", 0),
            new PortableWitness.Rules(
                Epsilon.ofMicros(10), Uncertainty.CONSERVATIVE, ReplicaRule.ANY),
            new PortableWitness.Finding("v", Grade.POSSIBLE, 100, 200),
            new PortableWitness.Circumstance(1, 300),
            witnesses,
            "");
    ShivizLog.of(witness, around).write(log);
    String head = ShivizLog.EXPRESSION + "\n\n";
    assertThat(log).startsWith(head);
    return log.substring(head.length());
  }

  private static HeldInterval held(
      int term, int node, Hvc start, String writer, HeldValue... values) {
    CandidateId id = new CandidateId(node, 1, start.own());
    return new HeldInterval(term, id, start, null, writer, List.of(values));
  }

  private static HeldValue value(String key, String value, String version) {
    return new HeldValue("s", key, value, version);
  }
}
