package io.palinode.predicate.lint;

import io.palinode.predicate.Clause;
import io.palinode.predicate.Term;
import io.palinode.predicate.form.Written;
import io.palinode.predicate.lint.Lint.Check;
import io.palinode.predicate.lint.Lint.Finding;
import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.text.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which keys the variables of a predicate match, besides those that are meant. */
final class KeyLint {
  /** Where characters begin that have no meaning, and so are in no one's keys. */
  private static final char PRIVATE_USE = '\uE000';

  private final Written written;
  private final List<Finding> findings = new ArrayList<>();

  private KeyLint(Written written) {
    this.written = written;
  }

  static List<Finding> findings(Written written, List<Written> all) {
    KeyLint lint = new KeyLint(written);
    Map<Template, Place> variables = variables(written);
    variables.forEach(lint::everyKey);
    String name = written.predicate().name();
    List<Sample> others =
        all.stream()
            .filter(other -> !other.predicate().name().equals(name))
            .flatMap(KeyLint::samples)
            .toList();
    variables.forEach((variable, place) -> lint.ambiguous(variable, place, others));
    return lint.findings;
  }

  /** Each where it stands first. */
  private static Map<Template, Place> variables(Written written) {
    Map<Template, Place> variables = new LinkedHashMap<>();
    List<Clause> clauses = written.predicate().violation();
    for (int clause = 0; clause < clauses.size(); clause++) {
      List<Term> terms = clauses.get(clause).terms();
      for (int term = 0; term < terms.size(); term++) {
        variables.putIfAbsent(terms.get(term).variable(), written.term(clause, term));
      }
    }
    return variables;
  }

  private void everyKey(Template variable, Place place) {
    List<String> captures = variable.captures();
    if (captures.size() == 1 && variable.toString().equals("{" + captures.get(0) + "}")) {
      findings.add(
          new Finding(
              Check.WATCHES_EVERY_KEY,
              written,
              place,
              "the variable '" + variable + "' matches every key of the store",
              "write what the keys begin with, such as stock_" + variable));
    }
  }

  /** A key of another predicate, with a character in the place of each capture. */
  private record Sample(String predicate, Template variable, String key) {}

  private static Stream<Sample> samples(Written written) {
    return variables(written).keySet().stream()
        .map(
            variable ->
                new Sample(written.predicate().name(), variable, variable.fill(sample(variable))));
  }

  private static Binding sample(Template variable) {
    TreeMap<String, String> values = new TreeMap<>();
    for (String capture : variable.captures()) {
      values.put(capture, String.valueOf((char) (PRIVATE_USE + values.size())));
    }
    return new Binding(values);
  }

  /** The first other key that only matches because a capture takes a separator. */
  private void ambiguous(Template variable, Place place, List<Sample> others) {
    Set<String> separators = separators(variable);
    for (Sample other : separators.isEmpty() ? List.<Sample>of() : others) {
      Binding split = variable.match(other.key());
      if (split != null && takesOne(split, separators)) {
        findings.add(
            new Finding(
                Check.AMBIGUOUS_KEY,
                written,
                place,
                "keys of predicate '%s' like %s also match '%s', as %s"
                    .formatted(other.predicate(), other.variable(), variable, shown(split, other)),
                "begin the keys of the two differently, or separate by what no capture takes"));
        return;
      }
    }
  }

  /** The literals between two captures. */
  private static Set<String> separators(Template variable) {
    List<String> literals = variable.literals();
    return literals.size() < 3 ? Set.of() : Set.copyOf(literals.subList(1, literals.size() - 1));
  }

  private static boolean takesOne(Binding split, Set<String> separators) {
    return split.values().values().stream()
        .anyMatch(value -> separators.stream().anyMatch(value::contains));
  }

  /** With the other's captures in braces again. */
  private static String shown(Binding split, Sample other) {
    Map<String, String> names = new HashMap<>();
    sample(other.variable()).values().forEach((name, value) -> names.put(value, "{" + name + "}"));
    return split.values().entrySet().stream()
        .map(
            value ->
                value.getKey()
                    + "="
                    + value
                        .getValue()
                        .chars()
                        .mapToObj(c -> String.valueOf((char) c))
                        .map(c -> names.getOrDefault(c, c))
                        .collect(Collectors.joining()))
        .collect(Collectors.joining(", "));
  }
}
