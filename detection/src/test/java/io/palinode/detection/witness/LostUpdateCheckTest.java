package io.palinode.detection.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.CandidateId;
import io.palinode.detection.ViolationId;
import io.palinode.detection.witness.PortableWitness.Circumstance;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Role;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.detection.witness.WitnessCheck.Breach;
import io.palinode.detection.witness.WitnessCheck.Rule;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ReplicaRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Node 0 has the versions {0:1}, {0:2} and {0:2, 1:1}. */
class LostUpdateCheckTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: balances}
      spec:
        forEach: {account: "{a}"}
        violation:
          - all: [{store: s, var: "balance_{a}", lostUpdate: true}]
      """;
  private static final String ONE = "0001010000010000000000000000";
  private static final String TWO = "0001010000020000000000000000";
  private static final String THREE = "0002010000020001010000000000000000";

  private static final HeldValue WRITTEN = value("30", THREE, Role.HOLDS);
  private static final HeldValue LOST = value("20", TWO, Role.LOST);
  private static final HeldValue SEEN = value("", ONE, Role.SEEN);

  @Test
  void aVersionThatSupersededOneUnseenIsRight() {
    assertThat(rules(WRITTEN, LOST, SEEN)).isEmpty();
    assertThat(rules(WRITTEN, LOST)).isEmpty();
  }

  @Test
  void withoutALostVersionItIsNone() {
    assertThat(rules(WRITTEN, SEEN)).containsExactly(Rule.VALUES);
    assertThat(rules(LOST, SEEN)).containsExactly(Rule.VALUES);
    assertThat(rules(WRITTEN, WRITTEN, LOST)).containsExactly(Rule.VALUES);
  }

  @Test
  void whatTheWriterHadSeenIsNotLost() {
    assertThat(rules(WRITTEN, LOST, value("", TWO, Role.SEEN))).containsExactly(Rule.VALUES);
    assertThat(rules(WRITTEN, value("20", ONE, Role.LOST), value("", TWO, Role.SEEN)))
        .containsExactly(Rule.VALUES);
  }

  @Test
  void whatIsNotSupersededIsNotLost() {
    assertThat(rules(WRITTEN, value("20", THREE, Role.LOST))).containsExactly(Rule.VALUES);
    assertThat(rules(value("1", ONE, Role.HOLDS), LOST)).containsExactly(Rule.VALUES);
  }

  @Test
  void anotherKeyOrNoClockIsRefused() {
    HeldValue other = new HeldValue("s", "balance_2", "20", TWO, Role.LOST);
    assertThat(rules(WRITTEN, other)).containsExactly(Rule.VALUES);
    assertThat(rules(WRITTEN, value("20", "0a", Role.LOST))).containsExactly(Rule.VALUES);
    assertThat(rules(WRITTEN, value("20", TWO + "00", Role.LOST))).containsExactly(Rule.VALUES);
  }

  @Test
  void aFileKeepsTheRoles() throws WitnessFormatException {
    PortableWitness witness = witness(WRITTEN, LOST, SEEN);
    String file = WitnessJson.write(witness);
    assertThat(WitnessJson.read(file, "witness")).isEqualTo(witness);
    PortableWitness changed = WitnessJson.read(file.replace("\"lost\"", "\"seen\""), "witness");
    assertThat(WitnessCheck.check(changed))
        .extracting(Breach::rule)
        .contains(Rule.DIGEST, Rule.VALUES);
    assertThatThrownBy(() -> WitnessJson.read(file.replace("\"lost\"", "\"holds\""), "witness"))
        .isInstanceOf(WitnessFormatException.class)
        .hasMessageContaining("must be absent");
  }

  private static HeldValue value(String value, String version, Role role) {
    return new HeldValue("s", "balance_1", value, version, role);
  }

  private static PortableWitness witness(HeldValue... values) {
    CandidateId id = new CandidateId(0, 1, 5);
    HeldInterval interval =
        new HeldInterval(0, id, Example.hvc(0, "2000", "0"), null, "ann", List.of(values));
    long at = Hlc.ofMicros(2_000);
    return PortableWitness.of(
        new Subject("balances", 3, YAML, "a=1", 0),
        new Rules(Epsilon.ofMicros(10_000), Uncertainty.CONSERVATIVE, ReplicaRule.FIRST),
        new Finding(ViolationId.of("balances", 3, "a=1", 0, List.of(id)), Grade.DEFINITE, at, at),
        new Circumstance(4, 1_400),
        List.of(interval));
  }

  private static List<Rule> rules(HeldValue... values) {
    return WitnessCheck.check(witness(values)).stream().map(Breach::rule).distinct().toList();
  }
}
