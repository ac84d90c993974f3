package io.palinode.detection.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.CandidateId;
import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.PortableWitness.HeldValue;
import io.palinode.detection.witness.PortableWitness.Rules;
import io.palinode.detection.witness.PortableWitness.Subject;
import io.palinode.detection.witness.WitnessCheck.Breach;
import io.palinode.detection.witness.WitnessCheck.Rule;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ReplicaRule;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each rule by itself, on witnesses whose digest is right. */
class WitnessCheckTest {
  private final HeldInterval first = Example.intervals().get(0);
  private final HeldInterval second = Example.intervals().get(1);

  @Test
  void aFoundWitnessPasses() {
    assertThat(WitnessCheck.check(Example.witness())).isEmpty();
  }

  @Test
  void aDigestOfAnotherContentIsRefused() {
    PortableWitness right = Example.witness();
    PortableWitness altered =
        new PortableWitness(
            right.subject(),
            right.rules(),
            right.finding(),
            new PortableWitness.Circumstance(5, 1_400),
            right.intervals(),
            right.digest());
    assertThat(broken(altered)).containsExactly(Rule.DIGEST);
  }

  @Test
  void aTextOfNoOrAnotherPredicateIsRefused() {
    assertThat(broken(subject("x", Example.YAML, "a=1,b=2", 0))).contains(Rule.PREDICATE);
    assertThat(broken(subject("edge-mutex", "kind: [", "a=1,b=2", 0))).contains(Rule.PREDICATE);
    assertThat(broken(subject("edge-mutex", Example.YAML, "a=1,b=2", 1))).contains(Rule.PREDICATE);
  }

  @Test
  void rulesOtherThanThePredicatesAreRefused() {
    Epsilon epsilon = Epsilon.ofMicros(10_000);
    assertThat(broken(rules(epsilon, Uncertainty.CAUSAL, ReplicaRule.ANY)))
        .containsExactly(Rule.PREDICATE);
    assertThat(broken(rules(epsilon, Uncertainty.CONSERVATIVE, ReplicaRule.FIRST)))
        .containsExactly(Rule.PREDICATE);
  }

  @Test
  void aMissingOrRepeatedTermIsRefused() {
    assertThat(broken(intervals(first))).contains(Rule.TERMS);
    assertThat(broken(intervals(second, first))).contains(Rule.TERMS);
    assertThat(broken(intervals(first, second, second))).contains(Rule.TERMS);
  }

  @Test
  void aValueOrKeyThatDoesNotMakeItsTermTrueIsRefused() {
    assertThat(broken(intervals(holding("cs_1_2_1", "0"), second))).containsExactly(Rule.VALUES);
    assertThat(broken(intervals(holding("cs_1_2_2", "1"), second))).containsExactly(Rule.VALUES);
    assertThat(broken(intervals(holding("other", "1"), second))).containsExactly(Rule.VALUES);
  }

  @Test
  void aWrongBindingOrOneThatBreaksAConditionIsRefused() {
    assertThat(broken(subject("edge-mutex", Example.YAML, "a=1,b=3", 0))).contains(Rule.VALUES);
    String never = Example.YAML.replace("{a} < {b}", "{a} > {b}");
    assertThat(broken(subject("edge-mutex", never, "a=1,b=2", 0))).containsExactly(Rule.VALUES);
  }

  @Test
  void clocksThatMakeNoIntervalAreRefused() {
    assertThat(broken(intervals(at(first.start(), Example.hvc(1, "990", "999", "985")), second)))
        .containsExactly(Rule.CLOCKS);
    assertThat(broken(intervals(at(first.start(), Example.hvc(0, "990", "1200", "985")), second)))
        .containsExactly(Rule.CLOCKS);
    assertThat(broken(intervals(at(first.start(), Example.hvc(1, "990", "1200")), second)))
        .containsExactly(Rule.CLOCKS);
  }

  @Test
  void orderedIntervalsAreRefused() {
    PortableWitness apart =
        found(
            Grade.UNCERTAIN,
            first.start().own(),
            Example.hvc(2, "990", "1200", "30000").own(),
            first,
            at(second, Example.hvc(2, "990", "1200", "30000"), null));
    assertThat(broken(apart)).containsExactly(Rule.CONCURRENT);
  }

  @Test
  void aGradeAboveOrBelowThatOfTheClocksIsRefused() {
    assertThat(broken(finding(Grade.DEFINITE))).containsExactly(Rule.GRADE);
    assertThat(broken(finding(Grade.UNCERTAIN))).containsExactly(Rule.GRADE);
  }

  @Test
  void whileAnEndIsToComeTheGradeMayBeLessThanTheClocksAllow() {
    HeldInterval open = at(first, first.start(), null);
    HeldInterval other = at(second, second.start(), null);
    long violate = second.start().own();
    for (Grade grade : Grade.values()) {
      assertThat(broken(found(grade, first.start().own(), violate, open, other))).isEmpty();
    }
  }

  @Test
  void timesOtherThanThoseOfTheStartsAreRefused() {
    long start = first.start().own();
    long violate = second.start().own();
    assertThat(broken(found(Grade.POSSIBLE, start + 1, violate, first, second)))
        .containsExactly(Rule.FIRST);
    assertThat(broken(found(Grade.POSSIBLE, start, violate - 1, first, second)))
        .containsExactly(Rule.VIOLATE);
  }

  @Test
  void anIdOfOtherIntervalsIsRefused() {
    HeldInterval renamed =
        new HeldInterval(
            0, new CandidateId(1, 2, 6), first.start(), first.end(), "", first.values());
    assertThat(broken(intervals(renamed, second))).containsExactly(Rule.ID);
  }

  private static List<Rule> broken(PortableWitness witness) {
    return WitnessCheck.check(witness).stream().map(Breach::rule).distinct().toList();
  }

  private static PortableWitness subject(String name, String yaml, String binding, int clause) {
    Subject subject = new Subject(name, 3, yaml, binding, clause);
    Finding right = Example.finding();
    return PortableWitness.of(
        subject,
        Example.rules(),
        new Finding(Example.id(subject), right.grade(), right.first(), right.violate()),
        Example.circumstance(),
        Example.intervals());
  }

  private static PortableWitness rules(
      Epsilon epsilon, Uncertainty uncertainty, ReplicaRule replicas) {
    return PortableWitness.of(
        Example.subject(),
        new Rules(epsilon, uncertainty, replicas),
        Example.finding(),
        Example.circumstance(),
        Example.intervals());
  }

  private static PortableWitness intervals(HeldInterval... intervals) {
    return PortableWitness.of(
        Example.subject(),
        Example.rules(),
        Example.finding(),
        Example.circumstance(),
        List.of(intervals));
  }

  private PortableWitness finding(Grade grade) {
    return found(grade, first.start().own(), second.start().own(), first, second);
  }

  private static PortableWitness found(
      Grade grade, long first, long violate, HeldInterval... intervals) {
    return PortableWitness.of(
        Example.subject(),
        Example.rules(),
        new Finding(Example.finding().id(), grade, first, violate),
        Example.circumstance(),
        List.of(intervals));
  }

  private HeldInterval holding(String key, String value) {
    return new HeldInterval(
        0,
        first.id(),
        first.start(),
        first.end(),
        "",
        List.of(new HeldValue("default", key, value, "")));
  }

  private HeldInterval at(Hvc start, @Nullable Hvc end) {
    return at(first, start, end);
  }

  private static HeldInterval at(HeldInterval of, Hvc start, @Nullable Hvc end) {
    return new HeldInterval(of.term(), of.id(), start, end, of.writer(), of.values());
  }
}
