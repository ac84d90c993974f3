package io.palinode.detection.file;

import io.palinode.predicate.Clause;
import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.text.Abridged;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks binding and values of a line against the predicate, as {@code verify} does those of a
 * witness. Every refusal is an {@link IllegalArgumentException}. For one thread.
 */
final class LineCheck {
  private static final int KNOWN_MAX = 10_000;
  private static final int KNOWN_CHARS_MAX = 1_000_000;

  private final Set<String> captures;
  private final List<Condition> where;
  private final List<Clause> clauses;
  private final List<List<Term>> terms;
  // By the text in the trace: many lines have the same.
  private final Map<String, Instance> known = new HashMap<>();
  private long knownChars;

  LineCheck(Predicate predicate) {
    this.captures = predicate.captures();
    this.where = predicate.where();
    this.clauses = predicate.violation();
    this.terms = clauses.stream().map(Clause::terms).toList();
  }

  /**
   * A binding that the predicate has.
   *
   * @param text its canonical text
   */
  record Instance(Binding binding, String text) {}

  int clauses() {
    return clauses.size();
  }

  int terms(int clause) {
    return terms.get(clause).size();
  }

  /** The canonical text of the member that {@code text} names; empty without {@code distinct}. */
  String member(int clause, @Nullable String text) {
    String distinct = clauses.get(clause).distinct();
    if (distinct == null) {
      if (text != null) {
        throw new IllegalArgumentException(
            "'member' must be absent, because the clause has no distinct: member="
                + Abridged.of(text));
      }
      return "";
    }
    if (text == null) {
      throw new IllegalArgumentException("'member' is missing, because the clause has distinct");
    }
    Binding member = Binding.parse(text);
    if (!member.values().keySet().equals(Set.of(distinct)) || member.values().containsValue("")) {
      throw new IllegalArgumentException(
          "'member' must give the capture '%s' a text, and no other: member=%s"
              .formatted(distinct, Abridged.of(text)));
    }
    return member.toString();
  }

  /** The instance that {@code text} names, in whatever order its captures are. */
  Instance instance(@Nullable String text) {
    String given = text == null ? "" : text;
    Instance instance = known.get(given);
    if (instance == null) {
      instance = checked(given);
      knownChars += given.length();
      if (known.size() == KNOWN_MAX || knownChars > KNOWN_CHARS_MAX) {
        known.clear();
        knownChars = given.length();
      }
      known.put(given, instance);
    }
    return instance;
  }

  private Instance checked(String text) {
    Binding binding = Binding.parse(text);
    if (!binding.values().keySet().equals(captures) || binding.values().containsValue("")) {
      throw new IllegalArgumentException(
          captures.isEmpty()
              ? "'binding' must be absent, because the predicate has no captures: binding="
                  + Abridged.of(text)
              : "'binding' must give each of the captures "
                  + captures
                  + " a text, and no other: binding="
                  + Abridged.of(text));
    }
    for (Condition condition : where) {
      if (!condition.holds(binding)) {
        throw new IllegalArgumentException(
            "'binding' breaks the condition "
                + condition
                + " of the predicate: binding="
                + Abridged.of(text));
      }
    }
    return new Instance(binding, binding.toString());
  }

  /** Each of {@code values}, by its key, must make the term true in the instance. */
  void requireTrue(
      int clause, int term, Instance instance, String member, Map<String, String> values) {
    Clause of = clauses.get(clause);
    values.forEach(
        (key, value) -> {
          Binding bound = bound(terms.get(clause).get(term), term, key, value);
          requireInstance(of.instance(bound), instance);
          requireMember(of.member(bound).toString(), member);
        });
  }

  private static void requireMember(String bound, String member) {
    if (!bound.equals(member)) {
      throw new IllegalArgumentException(
          "'values' must be of the member in 'member', not of '"
              + Abridged.of(bound)
              + "': member="
              + Abridged.of(member));
    }
  }

  private static Binding bound(Term of, int term, String key, String value) {
    Binding byKey = of.variable().match(key);
    if (byKey == null) {
      throw new IllegalArgumentException(
          "'values' must hold the variable '"
              + of.variable()
              + "' of term "
              + term
              + ": "
              + Abridged.of(key));
    }
    // Its node judged the operation: of any value.
    Binding bound = of.isOfOperations() ? byKey : of.bind(key, value);
    if (bound == null) {
      throw new IllegalArgumentException(
          "'values' must make term "
              + term
              + " true: "
              + Abridged.of(key)
              + "="
              + Abridged.of(value));
    }
    return bound;
  }

  private static void requireInstance(Binding bound, Instance instance) {
    if (!bound.equals(instance.binding())) {
      throw new IllegalArgumentException(
          "'values' must be of the instance in 'binding', not of '"
              + Abridged.of(bound.toString())
              + "': binding="
              + Abridged.of(instance.text()));
    }
  }
}
