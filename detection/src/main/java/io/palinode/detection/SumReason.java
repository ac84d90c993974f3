package io.palinode.detection;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.text.Abridged;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;

/** What a violated sum is, as the end of the sentence of {@link GradeReason}. Pure. */
public final class SumReason {
  private SumReason() {}

  /** {@code ; the sum is 11 (above: 10)}, with the word and the number of the predicate. */
  public static String of(ClauseRule.Sum rule, BigDecimal sum) {
    return "; the sum is %s (%s: %s)"
        .formatted(Abridged.of(sum.toString()), rule.relation().word(), rule.limit());
  }

  static String of(ClauseRule.Sum rule, List<Candidate> candidates) {
    BigDecimal sum = BigDecimal.ZERO;
    for (Candidate candidate : candidates) {
      sum = sum.add(rule.amount(candidate.term(), Objects.requireNonNull(candidate.amount())));
    }
    return of(rule, sum);
  }
}
