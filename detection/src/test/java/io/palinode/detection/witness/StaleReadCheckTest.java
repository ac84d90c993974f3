package io.palinode.detection.witness;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The versions are {0:1}, {0:2}, {0:2, 1:1} and, beside them, {2:1}. */
class StaleReadCheckTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: balances}
      spec:
        forEach: {account: "{a}"}
        violation:
          - all: [{store: s, var: "balance_{a}", staleRead: true}]
          - all: [{store: s, var: "balance_{a}", nonMonotonicRead: true}]
      """;
  private static final String ONE = "0001010000010000000000000000";
  private static final String TWO = "0001010000020000000000000000";
  private static final String BESIDE = "0001010002010000000000000000";
  private static final String THREE = "0002010000020001010000000000000000";

  private static final HeldValue READ_NOW = value("20", TWO, Role.HOLDS);

  @Test
  void aReadOfWhatTheSessionHadSupersededIsStale() {
    assertThat(rules(0, READ_NOW, value("", THREE, Role.WRITTEN))).isEmpty();
    assertThat(rules(0, READ_NOW, value("", THREE, Role.READ))).isEmpty();
    assertThat(rules(1, READ_NOW, value("", THREE, Role.READ))).isEmpty();
  }

  @Test
  void aReadOfAnOldVersionGoesBackOnlyBehindAnotherRead() {
    assertThat(rules(1, READ_NOW, value("", THREE, Role.WRITTEN))).containsExactly(Rule.VALUES);
  }

  @Test
  void whatWasSeenBeforeSupersedesWhatWasRead() {
    for (String notLater : List.of(ONE, TWO, BESIDE, "0a")) {
      assertThat(rules(0, READ_NOW, value("", notLater, Role.WRITTEN)))
          .as(notLater)
          .containsExactly(Rule.VALUES);
    }
  }

  @Test
  void itHasOneVersionOfEachKind() {
    HeldValue before = value("", THREE, Role.WRITTEN);
    assertThat(rules(0, READ_NOW)).containsExactly(Rule.VALUES);
    assertThat(rules(0, READ_NOW, before, before)).containsExactly(Rule.VALUES);
    assertThat(rules(0, READ_NOW, READ_NOW, before)).containsExactly(Rule.VALUES);
    assertThat(rules(0, READ_NOW, before, value("", ONE, Role.SEEN))).containsExactly(Rule.VALUES);
    HeldValue other = new HeldValue("s", "balance_2", "", THREE, Role.WRITTEN);
    assertThat(rules(0, READ_NOW, other)).containsExactly(Rule.VALUES);
  }

  @Test
  void aFileKeepsTheRoles() throws WitnessFormatException {
    PortableWitness witness = witness(1, READ_NOW, value("", THREE, Role.READ));
    String file = WitnessJson.write(witness);
    assertThat(WitnessJson.read(file, "witness")).isEqualTo(witness);
    PortableWitness changed = WitnessJson.read(file.replace("\"read\"", "\"written\""), "witness");
    assertThat(WitnessCheck.check(changed))
        .extracting(Breach::rule)
        .contains(Rule.DIGEST, Rule.VALUES);
  }

  private static HeldValue value(String value, String version, Role role) {
    return new HeldValue("s", "balance_1", value, version, role);
  }

  private static PortableWitness witness(int clause, HeldValue... values) {
    CandidateId id = new CandidateId(0, 1, 5);
    HeldInterval interval =
        new HeldInterval(0, id, Example.hvc(0, "2000", "0"), null, "ann", List.of(values));
    long at = Hlc.ofMicros(2_000);
    return PortableWitness.of(
        new Subject("balances", 3, YAML, "a=1", clause),
        new Rules(Epsilon.ofMicros(10_000), Uncertainty.CONSERVATIVE, ReplicaRule.ANY),
        new Finding(
            ViolationId.of("balances", 3, "a=1", clause, List.of(id)), Grade.DEFINITE, at, at),
        new Circumstance(4, 1_400),
        List.of(interval));
  }

  private static List<Rule> rules(int clause, HeldValue... values) {
    return WitnessCheck.check(witness(clause, values)).stream()
        .map(Breach::rule)
        .distinct()
        .toList();
  }
}
