package io.palinode.detection.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.CandidateId;
import io.palinode.detection.ViolationId;
import io.palinode.detection.witness.PortableWitness.Circumstance;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
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

class DivergenceCheckTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: carts}
      spec:
        forEach: {cart: "{u}"}
        violation:
          - replicasDiverged: {store: s, var: "cart_{u}", longerThan: 1s}
      """;
  private static final HeldValue PEAR = new HeldValue("s", "cart_1", "pear", "0a");
  private static final HeldInterval HAS = held(0, 5, "2000", PEAR);
  private static final HeldInterval SILENT = held(1, 0, "1000");
  private static final long FIRST = Hlc.ofMicros(2_000);
  private static final long VIOLATE = Hlc.ofMicros(2_000 + 1_000_000 + 10_000);

  @Test
  void aCopyThatIsMissingForLongEnoughIsRight() {
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, HAS, SILENT)).isEmpty();
    HeldInterval deleted = held(1, 3, "1500", new HeldValue("s", "cart_1", "", ""));
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, HAS, deleted)).isEmpty();
  }

  @Test
  void replicasThatHaveTheSameAreNone() {
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, HAS, held(1, 3, "1500", PEAR)))
        .containsExactly(Rule.TERMS);
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, HAS)).contains(Rule.TERMS);
  }

  @Test
  void whatIsOfAnotherKeyIsNotOfTheInstance() {
    HeldInterval other = held(1, 3, "1500", new HeldValue("s", "cart_2", "fig", "0b"));
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, HAS, other)).contains(Rule.VALUES);
  }

  @Test
  void timesAndGradeAreThoseOfThePredicate() {
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE - 1, HAS, SILENT))
        .containsExactly(Rule.VIOLATE);
    assertThat(rules(Grade.POSSIBLE, FIRST, VIOLATE, HAS, SILENT)).containsExactly(Rule.GRADE);
    long early = Hlc.ofMicros(900);
    assertThat(rules(Grade.DEFINITE, early, VIOLATE - FIRST + early, HAS, SILENT))
        .containsExactly(Rule.FIRST);
  }

  private static HeldInterval held(int node, long sequence, String own, HeldValue... values) {
    String[] clock = {"0", "0"};
    clock[node] = own;
    return new HeldInterval(
        0, new CandidateId(node, 1, sequence), Example.hvc(node, clock), null, "", List.of(values));
  }

  private static List<Rule> rules(
      Grade grade, long first, long violate, HeldInterval... intervals) {
    List<CandidateId> ids = List.of(intervals).stream().map(HeldInterval::id).toList();
    PortableWitness witness =
        PortableWitness.of(
            new Subject("carts", 3, YAML, "u=1", 0),
            new Rules(Epsilon.ofMicros(10_000), Uncertainty.CONSERVATIVE, ReplicaRule.ANY),
            new Finding(ViolationId.of("carts", 3, "u=1", 0, ids), grade, first, violate),
            new Circumstance(4, 1_400),
            List.of(intervals));
    return WitnessCheck.check(witness).stream().map(Breach::rule).distinct().toList();
  }
}
