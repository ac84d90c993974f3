package io.palinode.predicate;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.OnViolation.RollbackTarget;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.template.WritableText;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What must not happen: a violation in disjunctive normal form. It is violated when, for some
 * binding of its captures, all terms of some clause held concurrently.
 *
 * <p>Every term of every clause binds every capture, by its key or by its value: one write then
 * determines the instance it belongs to.
 *
 * @param name a letter or digit, then up to 127 letters, digits, {@code .}, {@code _}, {@code -}
 * @param labels for people and their tools; they change nothing
 * @param type not narrower than the violation is, see {@link PredicateClass#narrowest}
 * @param epsilon the cluster's when null
 * @param forEach names for capture templates; empty when the predicate is one instance
 * @param where what the captures of an instance must satisfy for it to be watched
 */
public record Predicate(
    String name,
    Map<String, String> labels,
    PredicateClass type,
    @Nullable Epsilon epsilon,
    Uncertainty uncertainty,
    ReplicaRule replicas,
    Map<String, Template> forEach,
    List<Condition> where,
    List<Clause> violation,
    OnViolation onViolation) {

  /** Of the language; what is accepted is bounded by {@link PredicateLimits}. */
  public static final int CLAUSES_MAX = PredicateLimits.CEILING.clausesMax();

  /** In all clauses together; see {@link PredicateLimits}. */
  public static final int TERMS_MAX = PredicateLimits.CEILING.termsMax();

  /** In the lists of all {@code in} together. */
  public static final int LISTED_VALUES_MAX = 10_000;

  /** In all patterns together; with this both written forms fit in one document. */
  public static final int PATTERN_CHARACTERS_MAX = 400_000;

  public static final int FOR_EACH_MAX = 64;
  public static final int WHERE_MAX = 64;
  public static final int LABELS_MAX = 32;
  public static final int LABEL_VALUE_LENGTH_MAX = 256;
  public static final Epsilon EPSILON_MAX = Epsilon.ofMicros(3_600_000_000L);

  public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  public static final Pattern LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,63}");
  public static final Pattern FOR_EACH = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,63}");

  public Predicate {
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    forEach = Collections.unmodifiableMap(new TreeMap<>(forEach));
    where = List.copyOf(where);
    violation = List.copyOf(violation);
    requireName(name);
    requireAtMost("labels", LABELS_MAX, labels.size());
    labels.forEach(Predicate::requireLabel);
    requireEpsilon(epsilon);
    forEach.keySet().forEach(Predicate::requireForEachName);
    requireSizes(forEach, where, violation);
    requireReplicas(replicas, violation);
    requireClocks(epsilon, violation);
    requireAlone(violation);
    requireRollback(onViolation.rollbackTo(), violation);
    type.requireFits(violation);
    CaptureRule.requireDeclared(onViolation.guards(), forEach);
    CaptureRule.Breach breach = CaptureRule.firstBreach(forEach, where, violation);
    if (breach != null) {
      throw new IllegalArgumentException(breach.reason());
    }
  }

  /** The names that a binding of an instance holds, sorted; empty when there is one instance. */
  public Set<String> captures() {
    TreeSet<String> names = new TreeSet<>();
    forEach.values().forEach(template -> names.addAll(template.captures()));
    return Collections.unmodifiableSet(names);
  }

  /** Those, and the captures of {@code distinct}: all that a term may hold. */
  public Set<String> capturesOfTerms() {
    TreeSet<String> names = new TreeSet<>(captures());
    for (Clause clause : violation) {
      String distinct = clause.distinct();
      if (distinct != null) {
        names.add(distinct);
      }
    }
    return Collections.unmodifiableSet(names);
  }

  public Predicate withName(String name) {
    return new Predicate(
        name, labels, type, epsilon, uncertainty, replicas, forEach, where, violation, onViolation);
  }

  public Predicate withReplicas(ReplicaRule replicas) {
    return new Predicate(
        name, labels, type, epsilon, uncertainty, replicas, forEach, where, violation, onViolation);
  }

  public Predicate withOnViolation(OnViolation onViolation) {
    return new Predicate(
        name, labels, type, epsilon, uncertainty, replicas, forEach, where, violation, onViolation);
  }

  public static void requireName(String name) {
    requireMatch("a predicate's name", NAME, name);
  }

  public static void requireLabel(String name, String value) {
    requireMatch("a label's name", LABEL, name);
    requireAtMost("characters in a label", LABEL_VALUE_LENGTH_MAX, value.length());
    WritableText.require("a label", value);
  }

  public static void requireForEachName(String name) {
    requireMatch("a name in forEach", FOR_EACH, name);
  }

  public static void requireEpsilon(@Nullable Epsilon epsilon) {
    if (epsilon != null && !epsilon.isInfinite() && epsilon.micros() > EPSILON_MAX.micros()) {
      throw new IllegalArgumentException("epsilon must be at most 1h, or inf: epsilon=" + epsilon);
    }
  }

  public static void requireReplicas(ReplicaRule replicas, List<Clause> violation) {
    if (replicas == ReplicaRule.FIRST && violation.stream().anyMatch(Clause::hasGroups)) {
      throw new IllegalArgumentException(
          "terms on the same node need replicas: any, for with first an interval is that of a"
              + " version, wherever its copies are");
    }
    if (replicas == ReplicaRule.FIRST && lasts(violation)) {
      throw new IllegalArgumentException(
          "a clause with 'for' measures how long a term holds on one node, so it needs replicas: any,"
              + " which is then the default");
    }
    if (replicas == ReplicaRule.FIRST && isWithin(violation)) {
      throw new IllegalArgumentException(
          "within takes an answer from any replica, so it needs replicas: any, which is then the"
              + " default");
    }
    if (replicas == ReplicaRule.FIRST && violation.stream().anyMatch(Clause::isOfReads)) {
      throw new IllegalArgumentException(
          "staleRead and nonMonotonicRead are about what one replica returned, so they need replicas:"
              + " any, which is then the default");
    }
    if (replicas == ReplicaRule.FIRST && isOfStates(violation)) {
      throw new IllegalArgumentException(
          "replicasDiverged compares what each replica has, so it needs replicas: any, which is then"
              + " the default");
    }
  }

  /** Throws {@link IllegalArgumentException} if a time is asked for that no clock can measure. */
  public static void requireClocks(@Nullable Epsilon epsilon, List<Clause> violation) {
    if (epsilon != null && epsilon.isInfinite() && lasts(violation)) {
      throw new IllegalArgumentException(
          "a clause with 'for' compares times of different nodes, so epsilon must not be inf; leave"
              + " epsilon out, or name a bound such as 10ms");
    }
    if (epsilon != null && epsilon.isInfinite() && isWithin(violation)) {
      throw new IllegalArgumentException(
          "within compares times of different nodes, so epsilon must not be inf; leave epsilon out,"
              + " or name a bound such as 10ms");
    }
  }

  /** Whether a clause must hold for some time. */
  private static boolean lasts(List<Clause> violation) {
    return violation.stream().anyMatch(clause -> !clause.heldFor().isZero());
  }

  public static void requireAlone(List<Clause> violation) {
    if (violation.size() > 1 && isOfStates(violation)) {
      throw new IllegalArgumentException(
          "replicasDiverged must be the only clause of its predicate, because it is reported"
              + " once per episode; write another predicate: clauses="
              + violation.size());
    }
    if (violation.size() > 1 && isWithin(violation)) {
      throw new IllegalArgumentException(
          "within must be the only clause of its predicate, because it is judged only after its time;"
              + " write another predicate: clauses="
              + violation.size());
    }
  }

  /** Throws {@link IllegalArgumentException} if such violations cannot be rolled back to there. */
  public static void requireRollback(@Nullable RollbackTarget to, List<Clause> violation) {
    if (to == RollbackTarget.BEFORE_VIOLATION && isWithin(violation)) {
      throw new IllegalArgumentException(
          "with within, a rollback to before the violation would keep the write that was not answered;"
              + " say 'to: before-first-witness', or 'rollback: none'");
    }
    if (to != null && isOfStates(violation)) {
      throw new IllegalArgumentException(
          "replicasDiverged only alerts, because a rollback cannot restore a missing copy; use"
              + " 'rollback: none' and write the key again");
    }
  }

  private static boolean isWithin(List<Clause> violation) {
    return violation.stream().anyMatch(Clause::isWithin);
  }

  private static boolean isOfStates(List<Clause> violation) {
    return violation.stream().anyMatch(Clause::isOfStates);
  }

  private static void requireMatch(String what, Pattern rule, String value) {
    if (!rule.matcher(value).matches()) {
      throw new IllegalArgumentException(
          what + " must match " + rule.pattern() + ": '" + value + "'");
    }
  }

  private static void requireSizes(
      Map<String, Template> forEach, List<Condition> where, List<Clause> violation) {
    if (violation.isEmpty()) {
      throw new IllegalArgumentException("a violation needs at least one clause");
    }
    requireAtMost("clauses", CLAUSES_MAX, violation.size());
    requireAtMost("entries in forEach", FOR_EACH_MAX, forEach.size());
    requireAtMost("conditions in where", WHERE_MAX, where.size());
    List<Term> terms = violation.stream().flatMap(clause -> clause.terms().stream()).toList();
    requireAtMost("terms", TERMS_MAX, terms.size());
    requireAtMost("values in lists of in", LISTED_VALUES_MAX, listed(terms));
    requireAtMost(
        "characters in patterns",
        PATTERN_CHARACTERS_MAX,
        lengths(forEach.values()) + lengths(where) + termLengths(terms));
  }

  private static int listed(List<Term> terms) {
    return terms.stream()
        .filter(term -> term.comparison() instanceof Comparison.In)
        .mapToInt(term -> term.comparison().operands().size())
        .sum();
  }

  private static int lengths(Collection<?> written) {
    return written.stream().mapToInt(one -> one.toString().length()).sum();
  }

  private static int termLengths(List<Term> terms) {
    return terms.stream()
        .mapToInt(
            term ->
                (term.store() == null ? 0 : term.store().length())
                    + term.variable().toString().length()
                    + lengths(term.comparison().operands()))
        .sum();
  }

  private static void requireAtMost(String what, int max, int count) {
    if (count > max) {
      throw new IllegalArgumentException(
          "a predicate must have at most " + max + " " + what + ": " + what + "=" + count);
    }
  }
}
