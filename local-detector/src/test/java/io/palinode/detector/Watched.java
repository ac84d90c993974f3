package io.palinode.detector;

import io.palinode.predicate.Predicates;

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
