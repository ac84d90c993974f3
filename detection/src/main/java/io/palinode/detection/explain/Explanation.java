package io.palinode.detection.explain;

import io.palinode.predicate.Clause;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.LocalPredicate;
import io.palinode.predicate.Period;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.PredicateClass;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Template;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A predicate as its reader should know it.
 *
 * @param narrowest the class that it is of
 * @param terms in all clauses together
 */
public record Explanation(
    Predicate predicate,
    PredicateClass narrowest,
    int terms,
    List<WatchedKey> keys,
    List<Topic> topics) {
  private static final int CLAUSES_SHOWN_MAX = 3;
  private static final int TERMS_SHOWN_MAX = 4;

  /**
   * A variable.
   *
   * @param example a key that it matches; null when none was found
   */
  public record WatchedKey(String template, @Nullable String example) {}

  public static Explanation of(Predicate predicate) {
    KeyTopics keys = new KeyTopics(predicate);
    DetectionTopics detection = new DetectionTopics(predicate);
    ActionTopics action =
        new ActionTopics(
            predicate.onViolation(),
            longest(predicate, ClauseShape::heldFor),
            longest(predicate, ClauseShape::goesBack));
    return new Explanation(
        predicate,
        PredicateClass.narrowest(predicate.violation()),
        termsOf(predicate),
        keys.variables().stream().map(variable -> watched(keys, variable)).toList(),
        List.of(
            violation(predicate),
            detection.predicateClass(),
            keys.keys(),
            keys.instances(),
            detection.algorithm(),
            detection.cost(),
            detection.memory(),
            detection.replicas(),
            detection.uncertainty(),
            action.rollback(),
            action.alert()));
  }

  private static int termsOf(Predicate predicate) {
    return predicate.violation().stream().mapToInt(clause -> clause.terms().size()).sum();
  }

  private static Duration longest(Predicate predicate, Function<ClauseShape, Duration> time) {
    return predicate.violation().stream()
        .map(clause -> time.apply(clause.shape()))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  private static WatchedKey watched(KeyTopics keys, Template variable) {
    return new WatchedKey(variable.toString(), keys.exampleOf(variable));
  }

  private static Topic violation(Predicate predicate) {
    List<Clause> clauses = predicate.violation();
    List<String> sentences = new ArrayList<>();
    if (clauses.get(0).rule() instanceof ClauseRule.ReplicasDiverged diverged) {
      return new Topic("violation", List.of(DivergenceTopics.violation(diverged, clauses.get(0))));
    }
    if (clauses.get(0).rule() instanceof ClauseRule.Within within) {
      return new Topic("violation", List.of(WithinTopics.violation(within, clauses.get(0))));
    }
    sentences.add(
        "%s, %s. It is violated when %s is true at one moment%s, each term on some node:"
            .formatted(
                Shown.count(clauses.size(), "clause"),
                Shown.count(termsOf(predicate), "term"),
                clauses.size() == 1 ? "the clause" : "some clause",
                clauses.stream().anyMatch(clause -> clause.shape().lasts())
                    ? ", or for the time that it names"
                    : ""));
    for (int i = 0; i < Math.min(clauses.size(), CLAUSES_SHOWN_MAX); i++) {
      sentences.add("clause %d: %s".formatted(i, shown(clauses.get(i))));
    }
    if (clauses.size() > CLAUSES_SHOWN_MAX) {
      sentences.add("and %s more".formatted(Shown.number(clauses.size() - CLAUSES_SHOWN_MAX)));
    }
    return new Topic("violation", sentences);
  }

  private static String shown(Clause clause) {
    return clause.heldFor().isZero()
        ? ofMoment(clause)
        : ofMoment(clause) + "; together for " + Period.format(clause.heldFor());
  }

  private static String ofMoment(Clause clause) {
    List<LocalPredicate> of = clause.of();
    int more = of.size() - TERMS_SHOWN_MAX;
    if (clause.rule() instanceof ClauseRule.Sum sum) {
      return shown(clause, sum);
    }
    String shown =
        of.stream().limit(TERMS_SHOWN_MAX).map(Explanation::shown).collect(Collectors.joining("; "))
            + (more > 0 ? "; and " + Shown.number(more) + " more" : "");
    if (clause.rule() instanceof ClauseRule.AtLeast some && some.distinct() != null) {
      return "at least %d of: %s, each with another %s"
          .formatted(some.count(), shown, some.distinct());
    }
    return clause.rule() instanceof ClauseRule.AtLeast some
        ? "at least %d of: %s".formatted(some.count(), shown)
        : shown;
  }

  private static String shown(Clause clause, ClauseRule.Sum sum) {
    StringBuilder shown = new StringBuilder();
    List<Term> variables = clause.terms();
    for (int i = 0; i < Math.min(variables.size(), TERMS_SHOWN_MAX); i++) {
      BigDecimal times = sum.timesOf(i).value();
      boolean isMinus = times.signum() < 0;
      shown.append(i == 0 ? (isMinus ? "-" : "") : isMinus ? " - " : " + ");
      if (times.abs().compareTo(BigDecimal.ONE) != 0) {
        shown.append(times.abs()).append(" * ");
      }
      shown.append(shown(variables.get(i)));
    }
    int more = variables.size() - TERMS_SHOWN_MAX;
    if (sum.members() != null) {
      shown.insert(0, "the sum of %,d intervals of ".formatted(sum.members().count()));
      shown.append(", each with another ").append(sum.members().distinct()).append(",");
    }
    return shown
        + (more > 0 ? " + " + Shown.number(more) + " more " : " ")
        + sum.relation().word()
        + " "
        + sum.limit();
  }

  private static String shown(LocalPredicate local) {
    List<String> terms = local.terms().stream().map(Explanation::shown).toList();
    return terms.size() == 1 ? terms.get(0) : "on one node (" + String.join(" and ", terms) + ")";
  }

  static String shown(Term term) {
    String key =
        Shown.key(term.variable().toString())
            + (term.store() == null ? "" : " in store " + term.store());
    if (term.isLostUpdate()) {
      return key + " supersedes a version that its writer had not seen";
    }
    if (term.isOfReads()) {
      boolean isOfReadsOnly = term.comparison() instanceof Comparison.NonMonotonicRead;
      return key
          + " is read although the session had "
          + (isOfReadsOnly ? "read" : "written or read")
          + " a later version";
    }
    List<String> operands = term.comparison().operands().stream().map(Shown::quoted).toList();
    return operands.isEmpty()
        ? key
        : key + " " + term.comparison().word() + " " + Shown.some(operands);
  }
}
