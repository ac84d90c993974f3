package io.palinode.detection.explain;

import io.palinode.predicate.Predicate;
import io.palinode.predicate.Term;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Condition;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds a binding that a predicate watches, for its reader to look at. */
final class ExampleBinding {
  private static final int TRIES_MAX = 10_000;

  private ExampleBinding() {}

  /** One under which every key splits as meant; null when a bounded number of tries finds none. */
  static @Nullable Binding of(Predicate predicate) {
    List<String> captures = List.copyOf(predicate.capturesOfTerms());
    List<String> values = values(predicate);
    for (int attempt = 0; attempt < TRIES_MAX; attempt++) {
      Binding binding = binding(captures, values, attempt);
      if (isWatched(predicate, binding)) {
        return binding;
      }
    }
    return null;
  }

  /** Whole numbers, and what conditions speak of, and what is next to it. */
  private static List<String> values(Predicate predicate) {
    Set<String> values = new LinkedHashSet<>(List.of("1", "2", "3"));
    for (Condition condition : predicate.where()) {
      for (Condition.Operand operand : List.of(condition.left(), condition.right())) {
        if (operand instanceof Condition.Constant constant && !constant.text().isEmpty()) {
          values.add(constant.text());
          Decimal decimal = Decimal.read(constant.text());
          if (decimal != null) {
            values.add(decimal.value().add(BigDecimal.ONE).toPlainString());
            values.add(decimal.value().subtract(BigDecimal.ONE).toPlainString());
          }
        }
      }
    }
    return new ArrayList<>(values);
  }

  /** Attempt 0 counts the captures from 1; the others are the numbers of a system of values. */
  private static Binding binding(List<String> captures, List<String> values, int attempt) {
    TreeMap<String, String> binding = new TreeMap<>();
    int rest = attempt - 1;
    for (int i = 0; i < captures.size(); i++) {
      String value = attempt == 0 ? "" + (i + 1) : values.get(rest % values.size());
      binding.put(captures.get(i), value);
      rest = attempt == 0 ? rest : rest / values.size();
    }
    return new Binding(binding);
  }

  private static boolean isWatched(Predicate predicate, Binding binding) {
    return predicate.where().stream().allMatch(condition -> condition.holds(binding))
        && predicate.violation().stream()
            .flatMap(clause -> clause.terms().stream())
            .limit(TRIES_MAX)
            .allMatch(term -> splitsAsMeant(term, binding));
  }

  private static boolean splitsAsMeant(Term term, Binding binding) {
    Binding byKey = term.variable().match(term.variable().fill(binding));
    return byKey != null && byKey.join(binding) != null;
  }
}
