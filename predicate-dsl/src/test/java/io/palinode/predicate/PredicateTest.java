package io.palinode.predicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.OnViolation.RollbackRules;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.OnViolation.WhenFrequent;
import io.palinode.predicate.form.Predicates;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Template;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PredicateTest {
  private static final String ALERT_RULE =
      "an alert must be console, kafka:TOPIC or FORMAT:URL with an http or https URL, where FORMAT"
          + " is webhook, alertmanager, slack, cloudevents: ";

  private static final Clause X = clause(term("x", "1"));

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", ".a", "_a", "a b", "a/b", "ä"})
  void aNameThatIsNotPlainIsRefused(String name) {
    refused(
        () -> predicate(Map.of(), X).withName(name),
        "a predicate's name must match [A-Za-z0-9][A-Za-z0-9._-]{0,127}: '" + name + "'");
  }

  @Test
  void aNameHasAtMost128Characters() {
    assertThat(predicate(Map.of(), X).withName("n".repeat(128)).name()).hasSize(128);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> predicate(Map.of(), X).withName("n".repeat(129)));
  }

  @Test
  void aViolationNeedsAClauseAndAClauseATerm() {
    refused(() -> predicate(Map.of()), "a violation needs at least one clause");
    refused(PredicateTest::clause, "a clause needs at least one term");
  }

  @Test
  void everyLimitIsNamedWhenItIsExceeded() {
    refused(
        () -> new Clause(Collections.nCopies(4_097, term("x", "1"))),
        "a clause must have at most 4096 terms: terms=4097");
    refused(
        () -> predicate(Map.of(), Collections.nCopies(100_001, X)),
        "a predicate must have at most 100000 clauses: clauses=100001");
    refused(
        () -> predicate(Map.of(), Collections.nCopies(4_000, wide("1", 51))),
        "a predicate must have at most 200000 terms: terms=204000");
    refused(
        () -> predicate(Map.of(), Collections.nCopies(20, wide("1".repeat(400), 51))),
        "a predicate must have at most 400000 characters in patterns:"
            + " characters in patterns=409020");
    Comparison list = new Comparison.In(Collections.nCopies(1_000, Template.parse("")));
    refused(
        () ->
            predicate(
                Map.of(), Collections.nCopies(11, clause(new Term(Template.parse("x"), list)))),
        "a predicate must have at most 10000 values in lists of in:"
            + " values in lists of in=11000");
    refused(
        () -> where(Collections.nCopies(65, Condition.parse("{a} != 1"))),
        "a predicate must have at most 64 conditions in where: conditions in where=65");
    refused(() -> withLabels(numbered(33)), "a predicate must have at most 32 labels: labels=33");
    refused(
        () -> withLabels(Map.of("a", "x".repeat(257))),
        "a predicate must have at most 256 characters in a label: characters in a label=257");
    Map<String, Template> entries = new TreeMap<>();
    numbered(65).forEach((name, text) -> entries.put(name, Template.parse("{a}")));
    refused(
        () -> predicate(entries, clause(term("x{a}", "1"))),
        "a predicate must have at most 64 entries in forEach: entries in forEach=65");
  }

  @Test
  void aClassThatIsTooNarrowIsRefusedWithTheReason() {
    refused(
        () -> typed(PredicateClass.CONJUNCTIVE, X, X),
        "this violation is semilinear, not conjunctive: clause 0 may hold on one cut and clause 1"
            + " on another, and neither on the cut before both: clauses=2; say type: semilinear,"
            + " or leave type out");
    refused(
        () -> typed(PredicateClass.LINEAR, X, X),
        "this violation is semilinear, not linear: clause 0 may hold on one cut and clause 1 on"
            + " another, and neither on the cut before both: clauses=2; say type: semilinear, or"
            + " leave type out");
    for (PredicateClass type : PredicateClass.values()) {
      assertThat(typed(type, X).type()).isEqualTo(type);
    }
    assertThat(typed(PredicateClass.SEMILINEAR, X, X).violation()).hasSize(2);
  }

  @Test
  void aCaptureThatIsNotDeclaredIsRefused() {
    refused(
        () -> predicate(Map.of(), clause(term("x_{a}", "1"))),
        "a capture must be declared in forEach, and a literal brace doubled: 'a'");
    refused(
        () -> predicate(forEach("{colour}"), clause(term("x_{color}", "1"))),
        "a capture must be declared in forEach, and a literal brace doubled: 'color'; did you mean"
            + " 'colour'?");
  }

  @Test
  void aConditionSpeaksOfDeclaredCaptures() {
    refused(
        () -> where(List.of(Condition.parse("{b} != 1"))),
        "a capture must be declared in forEach, and a literal brace doubled: 'b'");
    assertThat(where(List.of(Condition.parse("{a} != 1"))).where()).hasSize(1);
  }

  @Test
  void aCaptureThatIsDeclaredAndNotUsedIsRefused() {
    refused(
        () -> predicate(forEach("{a}_{b}"), clause(term("x_{a}", "1"))),
        "a capture declared in forEach must be used in a term: 'b' of 'e'");
    refused(() -> predicate(forEach("edge"), X), "an entry of forEach must hold a capture: 'e'");
  }

  @Test
  void eachTermBindsEveryCapture() {
    refused(
        () ->
            predicate(
                forEach("{a}_{b}"), clause(term("x_{a}_{b}", "1")), clause(term("y_{a}", "1"))),
        "each term must bind every capture, else a write would not say which instance it belongs"
            + " to: 'b' is not in 'y_{a}' nor in its value '1'");
    Predicate byValue = predicate(forEach("{a}_{b}"), clause(term("y_{a}", "{b}")));
    assertThat(byValue.captures()).containsExactly("a", "b");
  }

  @Test
  void epsilonIsAtMostAnHourOrInfinite() {
    refused(
        () -> withEpsilon(Epsilon.ofMicros(3_600_000_001L)),
        "epsilon must be at most 1h, or inf: epsilon=3600000001us");
    assertThat(withEpsilon(Epsilon.INFINITE).epsilon()).isEqualTo(Epsilon.INFINITE);
  }

  @Test
  void whatViolationsCauseIsChecked() {
    WhenFrequent often = new WhenFrequent(5, Duration.ofSeconds(10));
    refused(
        () -> action(null, List.of(), often),
        "whenFrequent counts rollbacks, so there must be a rollback: whenFrequent=" + often);
    refused(() -> action(null, List.of("pager"), null), ALERT_RULE + "'pager'");
    refused(
        () -> action(null, List.of("webhook:ftp://x/"), null), ALERT_RULE + "'webhook:ftp://x/'");
    for (String topic : List.of("", ".", "..", "a b", "a/b", "x".repeat(250))) {
      refused(
          () -> action(null, List.of("kafka:" + topic), null),
          "the topic of an alert must be 1 to 249 of [A-Za-z0-9._-], and not '.' or '..': 'kafka:"
              + topic
              + "'");
    }
    refused(
        () -> action(null, List.of("console", "console"), null),
        "an alert must not be named twice: alerts=[console, console]");
    refused(
        () -> action(null, Collections.nCopies(9, "console"), null),
        "a predicate must have at most 8 alerts: alerts=9");
    refused(() -> new WhenFrequent(0, Duration.ofSeconds(1)), "over must be at least 1: over=0");
    refused(
        () -> new WhenFrequent(1, Duration.ofHours(25)), "per must be in [1ms, 24h]: per=PT25H");
    refused(
        () -> new WhenFrequent(1, Duration.ofNanos(1_000_001)),
        "per must be whole milliseconds: per=PT0.001000001S");
  }

  @Test
  void aCopyDiffersInOneThing() {
    Predicate predicate = predicate(Map.of(), X);
    OnViolation rollback = action(RollbackTarget.BEFORE_VIOLATION, List.of("console"), null);
    Predicate changed =
        predicate.withName("q").withReplicas(ReplicaRule.ANY).withOnViolation(rollback);
    assertThat(changed)
        .isEqualTo(
            new Predicate(
                "q",
                Map.of(),
                PredicateClass.SEMILINEAR,
                null,
                Uncertainty.CONSERVATIVE,
                ReplicaRule.ANY,
                Map.of(),
                List.of(),
                List.of(X),
                rollback));
  }

  private static void refused(Runnable make, String message) {
    assertThatIllegalArgumentException().isThrownBy(make::run).withMessage(message);
  }

  private static Term term(String variable, String value) {
    return new Term(Template.parse(variable), new Comparison.Equals(Template.parse(value)));
  }

  private static Clause clause(Term... terms) {
    return new Clause(List.of(terms));
  }

  private static Clause wide(String value, int terms) {
    return new Clause(Collections.nCopies(terms, term("x", value)));
  }

  private static Map<String, Template> forEach(String pattern) {
    return Map.of("e", Template.parse(pattern));
  }

  private static Map<String, String> numbered(int count) {
    Map<String, String> entries = new TreeMap<>();
    IntStream.range(0, count).forEach(i -> entries.put("n" + i, "x"));
    return entries;
  }

  private static OnViolation action(
      @Nullable RollbackTarget target, List<String> alerts, @Nullable WhenFrequent often) {
    return new OnViolation(target, Grade.POSSIBLE, Grade.POSSIBLE, alerts, RollbackRules.of(often));
  }

  private static Predicate predicate(Map<String, Template> forEach, Clause... clauses) {
    return predicate(forEach, List.of(clauses));
  }

  private static Predicate predicate(Map<String, Template> forEach, List<Clause> clauses) {
    return make(Map.of(), PredicateClass.SEMILINEAR, null, forEach, clauses);
  }

  private static Predicate typed(PredicateClass type, Clause... clauses) {
    return make(Map.of(), type, null, Map.of(), List.of(clauses));
  }

  private static Predicate withLabels(Map<String, String> labels) {
    return make(labels, PredicateClass.SEMILINEAR, null, Map.of(), List.of(X));
  }

  private static Predicate withEpsilon(Epsilon epsilon) {
    return make(Map.of(), PredicateClass.SEMILINEAR, epsilon, Map.of(), List.of(X));
  }

  /** One capture, a. */
  private static Predicate where(List<Condition> where) {
    return new Predicate(
        "p",
        Map.of(),
        PredicateClass.CONJUNCTIVE,
        null,
        Uncertainty.CONSERVATIVE,
        ReplicaRule.FIRST,
        forEach("{a}"),
        where,
        List.of(clause(term("x_{a}", "1"))),
        OnViolation.DEFAULT);
  }

  private static Predicate make(
      Map<String, String> labels,
      PredicateClass type,
      @Nullable Epsilon epsilon,
      Map<String, Template> forEach,
      List<Clause> clauses) {
    return new Predicate(
        "p",
        labels,
        type,
        epsilon,
        Uncertainty.CONSERVATIVE,
        ReplicaRule.FIRST,
        forEach,
        List.of(),
        clauses,
        OnViolation.DEFAULT);
  }

  @Test
  void aDistinctCaptureIsNoPartOfTheInstance() {
    Predicate predicate =
        Predicates.parse(
            """
            apiVersion: palinode.io/v1
            kind: Predicate
            metadata: {name: one-holder}
            spec:
              forEach: {lock: "{l}"}
              violation:
                - atLeast: {count: 2, of: {var: "lock_{l}_{client}", equals: held}, distinct: client}
            """,
            "test");
    Binding all = Binding.parse("client=ann,l=7");

    assertThat(predicate.captures()).containsExactly("l");
    assertThat(predicate.type()).isEqualTo(PredicateClass.SEMILINEAR);
    Clause clause = predicate.violation().get(0);
    assertThat(clause.terms().get(0).bind("lock_7_ann", "held")).isEqualTo(all);
    assertThat(clause.instance(all)).hasToString("l=7");
    assertThat(clause.member(all)).hasToString("client=ann");
  }
}
