package io.palinode.detector;

import io.palinode.detector.terms.ActivePredicate;
import io.palinode.predicate.form.Predicates;
import java.util.List;
import java.util.Random;

/** Predicates for tests. */
public final class Watched {
  private Watched() {}

  public static ActivePredicate predicate(String name, long version, String yamlSpec) {
    String yaml =
        "apiVersion: palinode.io/v1\nkind: Predicate\nmetadata: {name: "
            + name
            + "}\nspec:\n"
            + yamlSpec.indent(2);
    return new ActivePredicate(name, version, Predicates.parse(yaml, name));
  }

  /** Both ends of an edge are in their critical sections. */
  public static ActivePredicate edgeMutex(long version) {
    return predicate(
        "edge-mutex",
        version,
        """
        forEach: {edge: "{a}_{b}"}
        violation:
          - all:
              - {var: "cs_{a}_{b}_{a}", equals: "1"}
              - {var: "cs_{a}_{b}_{b}", equals: "1"}
        """);
  }

  /** Both ends of an edge have the same colour. */
  public static ActivePredicate properColouring(long version) {
    return predicate(
        "proper-colouring",
        version,
        """
        forEach: {edge: "{a}_{b}", colour: "{k}"}
        violation:
          - all:
              - {var: "cs_{a}_{b}_{a}", equals: "c{k}"}
              - {var: "cs_{a}_{b}_{b}", equals: "c{k}"}
        """);
  }

  /** Terms on fixed keys, with any comparison. */
  static ActivePredicate randomOnKeys(Random random, long version) {
    StringBuilder spec = new StringBuilder("violation:\n");
    for (int clause = random.nextInt(3); clause >= 0; clause--) {
      spec.append("  - ").append(random.nextBoolean() ? "all" : "any").append(":\n");
      for (int term = random.nextInt(3); term >= 0; term--) {
        String key = List.of("x", "y", "z").get(random.nextInt(3));
        spec.append(term(random, key, ""));
      }
    }
    return predicate("random-on-keys", version, spec.toString());
  }

  /** Terms on the ends of edges, with any comparison and condition. */
  static ActivePredicate randomOnEdges(Random random, long version) {
    List<String> conditions =
        List.of("{a} != {b}", "{a} < {b}", "{b} >= 2", "{a} = 0", "{a} <= '1'", "'2' > {b}");
    StringBuilder spec = new StringBuilder("forEach: {edge: \"{a}_{b}\"}\nwhere:\n");
    for (int condition = random.nextInt(3); condition >= 0; condition--) {
      spec.append("  - \"")
          .append(conditions.get(random.nextInt(conditions.size())))
          .append("\"\n");
    }
    spec.append("violation:\n  - all:\n");
    for (int term = random.nextInt(3); term >= 0; term--) {
      String end = random.nextBoolean() ? "a" : "b";
      spec.append(term(random, "cs_{a}_{b}_{" + end + "}", "c{" + end + "}"));
    }
    return predicate("random-on-edges", version, spec.toString());
  }

  /** {@code fit} is a text that the variable's captures can stand in. */
  private static String term(Random random, String variable, String fit) {
    List<String> comparisons =
        List.of(
            "equals: \"1\"",
            "equals: \"" + fit + "\"",
            "notEquals: \"1\"",
            "notEquals: \"" + fit + "\"",
            "in: [\"0\", \"" + fit + "\", \"c\"]",
            "below: 1",
            "atMost: 1.00",
            "above: -1",
            "atLeast: 1e1",
            "matches: \"c?[0-9]\"",
            "matches: \".*\"");
    String comparison = comparisons.get(random.nextInt(comparisons.size()));
    return "      - {var: \"" + variable + "\", " + comparison + "}\n";
  }

  /** Two fixed keys. */
  public static ActivePredicate exact(long version) {
    return predicate(
        "exact",
        version,
        """
        violation:
          - all:
              - {var: x, equals: "1"}
              - {var: y, equals: "1"}
          - all:
              - {var: z, equals: "1"}
        """);
  }
}
