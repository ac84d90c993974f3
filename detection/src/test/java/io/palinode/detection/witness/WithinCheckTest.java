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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WithinCheckTest {
  private static final String YAML =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: unanswered}
      spec:
        forEach: {order: "{o}"}
        violation:
          - within:
              time: 1s
              after: {var: "order_{o}", equals: paid}
              missing: {var: "parcel_{o}", equals: sent}
      """;
  private static final HeldInterval PAID = held(0, 0, 5, "2000", null, "order_1", "paid");
  private static final long FIRST = Hlc.ofMicros(2_000);
  private static final long VIOLATE = Hlc.ofMicros(2_000 + 1_000_000 + 10_000);

  @Test
  void aTriggerWithoutAnAnswerIsDefinite() {
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, PAID)).isEmpty();
    assertThat(rules(Grade.POSSIBLE, FIRST, VIOLATE, PAID)).containsExactly(Rule.GRADE);
  }

  /** The time is over at 1,002,000 µs; clocks are at most 10,000 µs apart. */
  @ParameterizedTest
  @CsvSource(
      value = {
        "1000000, null, true", // Begins before the end of the time, but closer than ε.
        "1012000, null, true", // After it, but no further than ε.
        "992000, null, false", // In time by every clock.
        "1012001, null, false", // Late by every clock.
        "500, 2500, true", // Ends after the trigger began, but closer than ε.
        "500, 12000, false", // By every clock.
        "500, 600, true", // Before it, but no further than ε.
      },
      nullValues = "null")
  void anAnswerMayBeInTimeOrMustNotBeNamed(String start, String end, boolean isRight) {
    HeldInterval sent = held(1, 1, 7, start, end, "parcel_1", "sent");
    assertThat(rules(Grade.POSSIBLE, FIRST, VIOLATE, PAID, sent))
        .isEqualTo(isRight ? List.of() : List.of(Rule.GRADE));
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, PAID, sent)).contains(Rule.GRADE);
  }

  @Test
  void forgedTimesAreRefused() {
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE - 1, PAID)).containsExactly(Rule.VIOLATE);
    assertThat(rules(Grade.DEFINITE, FIRST - 1, VIOLATE, PAID)).containsExactly(Rule.FIRST);
  }

  @Test
  void otherTermsAndValuesAreRefused() {
    HeldInterval sent = held(1, 1, 7, "1000000", null, "parcel_1", "sent");
    assertThat(rules(Grade.POSSIBLE, FIRST, VIOLATE, sent)).containsExactly(Rule.TERMS);
    assertThat(rules(Grade.POSSIBLE, FIRST, VIOLATE, PAID, PAID)).contains(Rule.TERMS);
    HeldInterval open = held(0, 0, 5, "2000", null, "order_1", "open");
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, open)).containsExactly(Rule.VALUES);
    HeldInterval other = held(0, 0, 5, "2000", null, "order_2", "paid");
    assertThat(rules(Grade.DEFINITE, FIRST, VIOLATE, other)).containsExactly(Rule.VALUES);
  }

  private static HeldInterval held(
      int node,
      int term,
      long sequence,
      String start,
      @org.jspecify.annotations.Nullable String end,
      String key,
      String value) {
    return new HeldInterval(
        term,
        new CandidateId(node, 1, sequence),
        Example.hvc(node, clock(node, start)),
        end == null ? null : Example.hvc(node, clock(node, end)),
        "",
        List.of(new HeldValue("s", key, value, "0a")));
  }

  private static String[] clock(int node, String own) {
    String[] clock = {"0", "0"};
    clock[node] = own;
    return clock;
  }

  private static List<Rule> rules(
      Grade grade, long first, long violate, HeldInterval... intervals) {
    List<CandidateId> ids = List.of(intervals).stream().map(HeldInterval::id).toList();
    PortableWitness witness =
        PortableWitness.of(
            new Subject("unanswered", 3, YAML, "o=1", 0),
            new Rules(Epsilon.ofMicros(10_000), Uncertainty.CONSERVATIVE, ReplicaRule.ANY),
            new Finding(ViolationId.of("unanswered", 3, "o=1", 0, ids), grade, first, violate),
            new Circumstance(4, 1_400),
            List.of(intervals));
    return WitnessCheck.check(witness).stream().map(Breach::rule).distinct().toList();
  }
}
