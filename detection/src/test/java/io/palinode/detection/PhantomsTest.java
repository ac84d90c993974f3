package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.Phantoms.Decided;
import io.palinode.detection.Phantoms.Outcome;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two nodes; x is accepted by node 0, y by node 1. */
class PhantomsTest {
  private static final Causality CAUSALITY =
      new Causality(Epsilon.INFINITE, Uncertainty.CONSERVATIVE);

  private final Phantoms<String> phantoms = new Phantoms<>(3, 2);

  private static final Candidate X = candidate(0, 0, 1, "x1", 0, Hvc.of(0, 10, 0));
  private static final Candidate X_COPY = candidate(0, 1, 1, "x1", 0, Hvc.of(1, 10, 15));
  private static final Candidate Y = candidate(1, 1, 2, "y1", 1, Hvc.of(1, 20, 30));
  private static final Hvc X_END = Hvc.of(0, 20, 0);
  private static final Witness ANY = new Witness(0, List.of(X_COPY, Y), Grade.POSSIBLE);

  @Test
  void aSlowReplicaMakesAPhantom() {
    observe(X, X_COPY, closed(X, X_END), Y);
    assertThat(phantoms.reported("i", CAUSALITY, ANY)).isTrue();
    assertThat(outcomes(30)).containsExactly(Outcome.PHANTOM);
  }

  @Test
  void aViolationOfTheWritersVersionsIsReal() {
    observe(X, X_COPY, Y);
    phantoms.reported("i", CAUSALITY, ANY);
    observe(closed(X, Hvc.of(0, 40, 30)));
    assertThat(outcomes(30)).containsExactly(Outcome.REAL);
  }

  @Test
  void nothingIsDecidedBeforeAllIsReadUpToTheViolation() {
    observe(X, X_COPY, Y);
    phantoms.reported("i", CAUSALITY, ANY);
    assertThat(phantoms.nextAt()).isEqualTo(ANY.violate());
    assertThat(outcomes(29)).isEmpty();
    observe(closed(X, X_END));
    assertThat(outcomes(30)).containsExactly(Outcome.PHANTOM);
    assertThat(outcomes(31)).isEmpty();
    assertThat(phantoms.nextAt()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anUnknownOrForgottenVersionIsNotDecided() {
    observe(X_COPY, Y);
    phantoms.reported("i", CAUSALITY, ANY);
    assertThat(outcomes(30)).containsExactly(Outcome.UNKNOWN);

    observe(X, closed(X, X_END), Y);
    for (int other = 0; other < 3; other++) {
      observe(candidate(0, 0, 10 + other, "other" + other, 0, Hvc.of(0, 50 + other, 0)));
    }
    phantoms.reported("i", CAUSALITY, ANY);
    assertThat(outcomes(30)).containsExactly(Outcome.UNKNOWN);
  }

  @Test
  void scopesAreApart() {
    phantoms.observed("another", X);
    observe(X_COPY, Y);
    phantoms.reported("i", CAUSALITY, ANY);
    assertThat(outcomes(30)).containsExactly(Outcome.UNKNOWN);
  }

  @Test
  void reportsThatAreTooManyAreRefused() {
    observe(X, X_COPY, Y);
    assertThat(phantoms.reported("i", CAUSALITY, ANY)).isTrue();
    assertThat(phantoms.reported("i", CAUSALITY, ANY)).isTrue();
    assertThat(phantoms.reported("i", CAUSALITY, ANY)).isFalse();
    assertThat(outcomes(30)).hasSize(2);
    assertThatThrownBy(() -> new Phantoms<String>(0, 1)).hasMessageContaining("versionsMax=0");
  }

  private void observe(Candidate... candidates) {
    for (Candidate candidate : candidates) {
      phantoms.observed("i", candidate);
    }
  }

  private List<Outcome> outcomes(long hlc) {
    return phantoms.passed(hlc).stream().map(Decided::outcome).toList();
  }

  private static Candidate closed(Candidate candidate, Hvc end) {
    return candidate.over(candidate.interval().closedAt(end));
  }

  private static Candidate candidate(
      int term, int node, long sequence, String version, @Nullable Integer origin, Hvc start) {
    return new Candidate(
        0,
        term,
        new CandidateId(node, 0, sequence),
        new Interval(start, null),
        version,
        origin,
        new byte[0]);
  }
}
