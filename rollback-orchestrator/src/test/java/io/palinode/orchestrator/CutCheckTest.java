package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.wire.v1.IntervalRef;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CutCheckTest {
  private static final Map<String, Policy> POLICIES =
      Map.of("p", Policies.beforeViolation("p"), "r", Policies.alertOnly("r"));

  @Test
  void aClauseIsViolatedWhenItsTermsHoldAnywhere() {
    assertThat(
            CutCheck.violatedClause(
                List.of(List.of(term("p", 1, "b=1", 0)), List.of(term("p", 1, "b=1", 1))),
                POLICIES))
        .isEqualTo("predicate=p clause=0 binding=b=1");
  }

  @Test
  void termsOfDifferentBindingsDoNotMeet() {
    assertThat(check(term("p", 1, "b=1", 0), term("p", 1, "b=2", 1))).isNull();
  }

  @Test
  void oneTermOnTwoNodesIsOneTerm() {
    assertThat(check(term("p", 1, "", 0), term("p", 1, "", 0))).isNull();
  }

  @Test
  void otherVersionsUnknownPredicatesAndThoseWithoutRollbackDoNotCount() {
    assertThat(check(term("p", 2, "", 0), term("p", 2, "", 1))).isNull();
    assertThat(check(term("x", 1, "", 0), term("x", 1, "", 1))).isNull();
    assertThat(check(term("r", 1, "", 0), term("r", 1, "", 1))).isNull();
  }

  @Test
  void termsAndClausesThatThePredicateDoesNotHaveAreSkipped() {
    assertThat(check(term("p", 1, "", 0), term("p", 1, "", 7))).isNull();
    IntervalRef clause = IntervalRef.newBuilder(term("p", 1, "", 0)).setClause(3).build();
    assertThat(check(clause)).isNull();
  }

  private static @org.jspecify.annotations.Nullable String check(IntervalRef... holding) {
    return CutCheck.violatedClause(List.of(List.of(holding)), POLICIES);
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
