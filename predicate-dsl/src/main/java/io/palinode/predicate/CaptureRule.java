package io.palinode.predicate;

import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.Spelling;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A write has to say which instance it belongs to: the captures declared in {@code forEach} are
 * those used in terms, and each term binds all of them. Conditions speak of no others.
 */
public final class CaptureRule {
  private CaptureRule() {}

  /** Where the rule is broken, and how. */
  public record Breach(Site site, String reason) {}

  /** A part of a predicate. */
  public sealed interface Site {}

  public record InForEach(String entry) implements Site {}

  public record InWhere(int condition) implements Site {}

  public record InTerm(int clause, int term) implements Site {}

  /** The first breach, or null. O(terms). */
  public static @Nullable Breach firstBreach(
      Map<String, Template> forEach, List<Condition> where, List<Clause> violation) {
    Set<String> declared = new TreeSet<>();
    forEach.values().forEach(template -> declared.addAll(template.captures()));
    for (int i = 0; i < where.size(); i++) {
      String reason = undeclaredInWhere(where.get(i).captures(), declared, violation);
      if (reason != null) {
        return new Breach(new InWhere(i), reason);
      }
    }
    Set<String> used = new LinkedHashSet<>();
    for (int c = 0; c < violation.size(); c++) {
      List<Term> terms = violation.get(c).terms();
      String distinct = violation.get(c).distinct();
      for (int t = 0; t < terms.size(); t++) {
        String reason =
            distinct != null && declared.contains(distinct)
                ? declaredDistinct(distinct)
                : undeclared(without(distinct, terms.get(t).captures()), declared);
        if (reason != null) {
          return new Breach(new InTerm(c, t), reason + insteadOf(violation.get(c)));
        }
        used.addAll(terms.get(t).captures());
      }
    }
    Breach unused = unused(forEach, used);
    return unused != null ? unused : unbound(violation, declared);
  }

  /** Keys that belong to an instance are named by its captures alone. */
  public static void requireDeclared(List<Template> templates, Map<String, Template> forEach) {
    Set<String> declared = new TreeSet<>();
    forEach.values().forEach(template -> declared.addAll(template.captures()));
    for (Template template : templates) {
      String reason = undeclared(template.captures(), declared);
      if (reason != null) {
        throw new IllegalArgumentException(reason);
      }
    }
  }

  private static @Nullable String undeclared(Collection<String> captures, Set<String> declared) {
    for (String capture : captures) {
      if (!declared.contains(capture)) {
        return "a capture must be declared in forEach, and a literal brace doubled: '"
            + capture
            + "'"
            + Spelling.hint(capture, declared);
      }
    }
    return null;
  }

  private static Set<String> without(@Nullable String distinct, Set<String> captures) {
    Set<String> others = new TreeSet<>(captures);
    if (distinct != null) {
      others.remove(distinct);
    }
    return others;
  }

  /** What a sum of one variable may be meant to be. */
  private static String insteadOf(Clause clause) {
    boolean mayBeTotal =
        clause.rule() instanceof ClauseRule.Sum
            && clause.distinct() == null
            && clause.of().size() == 1;
    return mayBeTotal ? "; or to add up its bindings, give the sum 'distinct' and 'count'" : "";
  }

  private static String declaredDistinct(String distinct) {
    return "the capture of distinct must not be declared in forEach, else each of its bindings is an"
        + " instance by itself: '"
        + distinct
        + "'";
  }

  private static @Nullable String undeclaredInWhere(
      Collection<String> captures, Set<String> declared, List<Clause> violation) {
    for (Clause clause : violation) {
      String distinct = clause.distinct();
      if (distinct != null && captures.contains(distinct)) {
        return "a condition is about the instance, so about captures of forEach, not about that of"
            + " distinct: '"
            + distinct
            + "'";
      }
    }
    return undeclared(captures, declared);
  }

  private static @Nullable Breach unused(Map<String, Template> forEach, Set<String> used) {
    for (Map.Entry<String, Template> entry : forEach.entrySet()) {
      String key = entry.getKey();
      if (entry.getValue().captures().isEmpty()) {
        return new Breach(
            new InForEach(key), "an entry of forEach must hold a capture: '" + key + "'");
      }
      for (String capture : entry.getValue().captures()) {
        if (!used.contains(capture)) {
          String rule = "a capture declared in forEach must be used in a term: '";
          return new Breach(new InForEach(key), rule + capture + "' of '" + key + "'");
        }
      }
    }
    return null;
  }

  private static @Nullable Breach unbound(List<Clause> violation, Set<String> declared) {
    for (int c = 0; c < violation.size(); c++) {
      List<Term> terms = violation.get(c).terms();
      for (int t = 0; t < terms.size(); t++) {
        Set<String> bound = terms.get(t).captures();
        for (String capture : declared) {
          if (!bound.contains(capture)) {
            return new Breach(new InTerm(c, t), unboundReason(terms.get(t), capture));
          }
        }
      }
    }
    return null;
  }

  private static String unboundReason(Term term, String capture) {
    return "each term must bind every capture, else a write would not say which instance it"
        + " belongs to: '"
        + capture
        + "' is not in '"
        + term.variable()
        + (term.comparison() instanceof Comparison.Equals equal
            ? "' nor in its value '" + equal.value() + "'"
            : "', and " + term.comparison().word() + " binds none");
  }
}
