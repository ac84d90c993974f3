package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.plan.CutPiece;
import io.palinode.orchestrator.policy.Policy;
import io.palinode.orchestrator.state.Gates;
import io.palinode.orchestrator.step.CutCheck;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.predicate.form.Predicates;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.GateStep;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.LetStand;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CutCheckTest {
  private static final long CUT = 1_000;
  private static final Map<String, Policy> POLICIES =
      Map.of("p", Policies.beforeViolation("p"), "r", Policies.alertOnly("r"));

  @Test
  void aClauseIsViolatedWhenItsTermsHoldAnywhere() {
    assertThat(
            CutCheck.violated(
                List.of(
                    new CutPiece(0, List.of(term("p", 1, "b=1", 0))),
                    new CutPiece(1, List.of(term("p", 1, "b=1", 1)))),
                CUT,
                POLICIES,
                Gates.NONE,
                null))
        .singleElement()
        .hasToString("predicate=p clause=0 binding=b=1");
  }

  @Test
  void termsOfDifferentBindingsDoNotMeet() {
    assertThat(check(term("p", 1, "b=1", 0), term("p", 1, "b=2", 1))).isEmpty();
  }

  @Test
  void oneTermOnTwoNodesIsOneTerm() {
    assertThat(check(term("p", 1, "", 0), term("p", 1, "", 0))).isEmpty();
  }

  @Test
  void otherVersionsUnknownPredicatesAndThoseWithoutRollbackDoNotCount() {
    assertThat(check(term("p", 2, "", 0), term("p", 2, "", 1))).isEmpty();
    assertThat(check(term("x", 1, "", 0), term("x", 1, "", 1))).isEmpty();
    assertThat(check(term("r", 1, "", 0), term("r", 1, "", 1))).isEmpty();
  }

  @Test
  void termsAndClausesThatThePredicateDoesNotHaveAreSkipped() {
    assertThat(check(term("p", 1, "", 0), term("p", 1, "", 7))).isEmpty();
    IntervalRef clause = IntervalRef.newBuilder(term("p", 1, "", 0)).setClause(3).build();
    assertThat(check(clause)).isEmpty();
  }

  @Test
  void ofKOfNAnyKAreEnough() {
    assertThat(check("atLeast: {count: 2, of: [%s, %s, %s]}", 2)).isNotEmpty();
    assertThat(check("atLeast: {count: 3, of: [%s, %s, %s]}", 2)).isEmpty();
  }

  /** A cut does not show for how long; but what the plan was opened for must not hold at all. */
  @Test
  void aClauseWithATimeCountsOnlyForThePlansInstances() {
    Map<String, Policy> policies =
        policies("{for: 30s, all: [{var: x, equals: 1}, {var: y, equals: 1}]}");
    List<CutPiece> cut =
        List.of(new CutPiece(0, List.of(term("p", 1, "", 0), term("p", 1, "", 1))));
    assertThat(CutCheck.violated(cut, CUT, policies, Gates.NONE, null)).isEmpty();
    assertThat(CutCheck.violated(cut, CUT, policies, Gates.NONE, of("p", ""))).hasSize(1);
    assertThat(CutCheck.violated(cut, CUT, policies, Gates.NONE, of("q", ""))).isEmpty();
  }

  /** Also for the plan's instances: a trigger that a node finds again asks for nothing. */
  @Test
  void aCutDoesNotShowWhatWasNotAnswered() {
    Map<String, Policy> policies =
        policies(
            "within: {time: 5s, after: {var: x, equals: 1}, missing: {var: y, equals: 1}}",
            "before-first-witness");
    List<CutPiece> cut =
        List.of(new CutPiece(0, List.of(term("p", 1, "", 0), term("p", 1, "", 1))));
    assertThat(CutCheck.violated(cut, CUT, policies, Gates.NONE, of("p", ""))).isEmpty();
  }

  private static TouchingRollback of(String predicate, String binding) {
    return new TouchingRollback(
        1, 0, List.of(new TouchedInstance(predicate, binding, List.of())), false);
  }

  @Test
  void withDistinctOnlyDifferentMembersCount() {
    Map<String, Policy> policies =
        policies("atLeast: {count: 2, of: {var: 'x_{c}', equals: 1}, distinct: c}");
    assertThat(members(policies, "c=ann", "c=bob")).hasSize(1);
    assertThat(members(policies, "c=ann", "c=ann")).isEmpty();
    assertThat(members(policies, "c=ann")).isEmpty();
  }

  /** Each at another node. */
  private static List<CutCheck.Instance> members(Map<String, Policy> policies, String... members) {
    List<CutPiece> cut =
        IntStream.range(0, members.length)
            .mapToObj(
                i ->
                    new CutPiece(
                        i, List.of(term("p", 1, "", 0).toBuilder().setMember(members[i]).build())))
            .toList();
    return CutCheck.violated(cut, CUT, policies, Gates.NONE, null);
  }

  @Test
  void aGroupHoldsOnOneNodeOnly() {
    String group = "all: [{on: same-node, all: [%s, %s]}, %s]";
    Map<String, Policy> policies = policies(group);
    IntervalRef first = term("p", 1, "", 0);
    IntervalRef second = term("p", 1, "", 1);
    IntervalRef alone = term("p", 1, "", 2);
    assertThat(
            CutCheck.violated(
                List.of(new CutPiece(0, List.of(first, alone)), new CutPiece(1, List.of(second))),
                CUT,
                policies,
                Gates.NONE,
                null))
        .isEmpty();
    assertThat(
            CutCheck.violated(
                List.of(new CutPiece(0, List.of(first, second)), new CutPiece(1, List.of(alone))),
                CUT,
                policies,
                Gates.NONE,
                null))
        .isNotEmpty();
  }

  @Test
  void aSumIsThatOfSomeValuesOfItsVariables() {
    Map<String, Policy> policies = policies("sum: {of: [x, y], equals: 3}");
    IntervalRef one = amount(0, "1.0");
    IntervalRef sibling = amount(0, "7");
    assertThat(sum(policies, one)).isEmpty();
    assertThat(sum(policies, one, amount(1, "1"))).isEmpty();
    assertThat(sum(policies, one, amount(1, "2"))).isNotEmpty();
    assertThat(sum(policies, one, sibling, amount(1, "-4"))).isNotEmpty();
  }

  @Test
  void aSumMultipliesEachVariableByItsFactor() {
    Map<String, Policy> less = policies("sum: {of: [x, {var: y, times: -1}], below: 0}");
    assertThat(sum(less, amount(0, "2"), amount(1, "2"))).isEmpty();
    assertThat(sum(less, amount(0, "2"), amount(1, "2.5"))).isNotEmpty();
    Map<String, Policy> other = policies("sum: {of: [x, {var: y, times: 2}], notEquals: 10}");
    assertThat(sum(other, amount(0, "4"), amount(1, "3"))).isEmpty();
    assertThat(sum(other, amount(0, "3"), amount(1, "4"))).isNotEmpty();
  }

  @Test
  void aTotalIsTheSumOfSoManyMembers() {
    Map<String, Policy> policies =
        policies("sum: {of: {var: 'x_{c}'}, distinct: c, count: 2, notEquals: 10}");
    IntervalRef ann = amount(0, "4").toBuilder().setMember("c=ann").build();
    IntervalRef bob = amount(0, "6").toBuilder().setMember("c=bob").build();
    IntervalRef sibling = amount(0, "7").toBuilder().setMember("c=ann").build();
    IntervalRef carl = amount(0, "6").toBuilder().setMember("c=carl").build();
    assertThat(sum(policies, ann)).isEmpty();
    assertThat(sum(policies, ann, bob)).isEmpty();
    assertThat(sum(policies, ann, sibling)).isEmpty();
    assertThat(sum(policies, ann, sibling, bob)).isNotEmpty();
    assertThat(sum(policies, ann, bob, carl)).as("of bob and carl").isNotEmpty();
  }

  @Test
  void aCutIsViolatedSinceTheLastNeededTermBecameTrue() {
    assertThat(sinceOf("all: [%s, %s, %s]", 5, 9, 7)).isEqualTo(9);
    assertThat(sinceOf("atLeast: {count: 2, of: [%s, %s, %s]}", 5, 9, 7)).isEqualTo(7);
    assertThat(sinceOf("atLeast: {count: 2, of: [%s, %s, %s]}", 5, 9)).isEqualTo(9);
    assertThat(sinceOf("all: [{on: same-node, all: [%s, %s]}, %s]", 5, 9, 7)).isEqualTo(9);
    assertThat(sinceOf("all: [%s, %s]", 0, 0)).as("not known").isZero();
    Map<String, Policy> sum = policies("sum: {of: [x, y], equals: 3}");
    IntervalRef one = amount(0, "1").toBuilder().setSince(4).build();
    IntervalRef two = amount(1, "2").toBuilder().setSince(6).build();
    IntervalRef sibling = amount(1, "5").toBuilder().setSince(8).build();
    assertThat(sum(sum, one, two, sibling)).singleElement().returns(6L, CutCheck.Instance::since);
  }

  private static long sinceOf(String clause, long... since) {
    List<IntervalRef> holding =
        IntStream.range(0, since.length)
            .mapToObj(i -> term("p", 1, "", i).toBuilder().setSince(since[i]).build())
            .toList();
    List<CutCheck.Instance> violated =
        CutCheck.violated(
            List.of(new CutPiece(0, holding)), CUT, policies(clause), Gates.NONE, null);
    assertThat(violated).hasSize(1);
    return violated.get(0).since();
  }

  @Test
  void anInstanceViolatedBeforeItWasWatchedDoesNotCountButOthersDo() {
    Gates gates = standing("b=1");
    assertThat(held(gates, "b=1")).isEmpty();
    assertThat(held(gates, "b=2")).isNotEmpty();
    assertThat(held(standing(), "b=2")).as("there were too many to name").isEmpty();
  }

  private static Gates standing(String... bindings) {
    LetStand stand =
        LetStand.newBuilder()
            .setPredicate("p")
            .setHeld(true)
            .addAllBindings(List.of(bindings))
            .build();
    return Gates.NONE.read(
        ControlRecord.newBuilder().setGate(GateStep.newBuilder().setLetStand(stand)).build());
  }

  private static List<CutCheck.Instance> held(Gates gates, String binding) {
    List<IntervalRef> holding = List.of(term("p", 1, binding, 0), term("p", 1, binding, 1));
    return CutCheck.violated(List.of(new CutPiece(0, holding)), CUT, POLICIES, gates, null);
  }

  private static List<CutCheck.Instance> check(String clause, int terms) {
    List<IntervalRef> holding =
        IntStream.range(0, terms).mapToObj(i -> term("p", 1, "", i)).toList();
    return CutCheck.violated(
        List.of(new CutPiece(0, holding)), CUT, policies(clause), Gates.NONE, null);
  }

  private static List<CutCheck.Instance> sum(Map<String, Policy> policies, IntervalRef... holding) {
    return CutCheck.violated(
        List.of(new CutPiece(0, List.of(holding))), CUT, policies, Gates.NONE, null);
  }

  private static IntervalRef amount(int term, String value) {
    return IntervalRef.newBuilder(term("p", 1, "", term)).setAmount(value).build();
  }

  /** With a term about x, y and z in turn for each %s. */
  private static Map<String, Policy> policies(String clause) {
    return policies(clause, "before-violation");
  }

  private static Map<String, Policy> policies(String clause, String to) {
    String yaml =
        """
        apiVersion: palinode.io/v1
        kind: Predicate
        metadata: {name: p}
        spec:
          violation:
            - %s
          onViolation: {rollback: {to: %s}}
        """
            .replaceFirst("%s", clause)
            .replace("{to: %s}", "{to: " + to + "}")
            .replaceFirst("%s", "{var: x, equals: 1}")
            .replaceFirst("%s", "{var: y, equals: 1}")
            .replaceFirst("%s", "{var: z, equals: 1}");
    return Map.of("p", Policy.of(Predicates.parse(yaml, "p.yaml"), 1));
  }

  private static List<CutCheck.Instance> check(IntervalRef... holding) {
    return CutCheck.violated(
        List.of(new CutPiece(0, List.of(holding))), CUT, POLICIES, Gates.NONE, null);
  }

  private static IntervalRef term(String predicate, long version, String binding, int term) {
    return IntervalRef.newBuilder()
        .setPredicate(predicate)
        .setPredicateVersion(version)
        .setBinding(binding)
        .setTerm(term)
        .build();
  }
}
