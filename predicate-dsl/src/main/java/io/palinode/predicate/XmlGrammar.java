package io.palinode.predicate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which children and attributes each element of the XML form may have, and which elements repeat.
 * JAXB would pass over what it does not know; this does not.
 */
final class XmlGrammar {
  static final String ROOT = "predicate";

  private static final Set<String> REPEATED =
      Set.of("label", "forEach", "conjClause", "var", "all", "term", "alert");

  private static final Map<String, Shape> SHAPES = shapes();

  private XmlGrammar() {}

  /** What an element may hold; a leaf holds text. */
  record Shape(Vocabulary children, Vocabulary attributes) {}

  /** The shape of an element that its parent's shape knows. */
  static Shape shape(String element) {
    Shape shape = SHAPES.get(element);
    if (shape == null) {
      throw new IllegalStateException("every known element has a shape: " + element);
    }
    return shape;
  }

  static boolean mayRepeat(String element) {
    return REPEATED.contains(element);
  }

  private static Map<String, Shape> shapes() {
    Map<String, Shape> shapes = new HashMap<>();
    add(
        shapes,
        ROOT,
        List.of(
            "name",
            "label",
            "type",
            "epsilon",
            "uncertainty",
            "replicas",
            "forEach",
            "conjClause",
            "violation",
            "onViolation"),
        List.of("name"));
    add(shapes, "conjClause", List.of("id", "var"), List.of());
    add(shapes, "var", List.of("name", "value"), List.of());
    add(shapes, "all", List.of("term"), List.of());
    add(
        shapes,
        "onViolation",
        List.of("rollback", "rollbackOn", "alertOn", "alert", "whenFrequent"),
        List.of());
    add(shapes, "rollback", List.of(), List.of("scope", "to"));
    add(shapes, "whenFrequent", List.of(), List.of("over", "per", "then"));
    add(shapes, "label", List.of(), List.of("name"));
    add(shapes, "forEach", List.of(), List.of("name"));
    for (String leaf :
        List.of(
            "name",
            "value",
            "id",
            "type",
            "epsilon",
            "uncertainty",
            "replicas",
            "rollbackOn",
            "alertOn",
            "alert")) {
      add(shapes, leaf, List.of(), List.of());
    }
    addPlanned(shapes);
    return Map.copyOf(shapes);
  }

  private static void addPlanned(Map<String, Shape> shapes) {
    String violation = "<violation>";
    shapes.put(
        "violation",
        new Shape(
            new Vocabulary("element", violation, List.of("all"), Vocabulary.PLANNED_CLAUSES),
            new Vocabulary("attribute", violation, List.of(), Set.of())));
    String term = "<term>";
    shapes.put(
        "term",
        new Shape(
            new Vocabulary("element", term, List.of(), Vocabulary.PLANNED_IN_TERMS),
            new Vocabulary(
                "attribute", term, List.of("var", "equals"), Vocabulary.PLANNED_IN_TERMS)));
  }

  private static void add(
      Map<String, Shape> shapes, String element, List<String> children, List<String> attributes) {
    String owner = "<" + element + ">";
    shapes.put(
        element,
        new Shape(
            new Vocabulary("element", owner, children, Set.of()),
            new Vocabulary("attribute", owner, attributes, Set.of())));
  }
}
