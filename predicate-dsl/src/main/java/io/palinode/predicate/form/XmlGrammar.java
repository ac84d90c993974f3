package io.palinode.predicate.form;

import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Comparison;
import io.palinode.predicate.text.Vocabulary;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which children and attributes each element of the XML form may have, which hold text, and which
 * repeat. JAXB would pass over what it does not know; this does not.
 */
final class XmlGrammar {
  static final String ROOT = "predicate";

  /** By JAXB's name of the type: the attributes that tables of the language name. */
  static final Map<String, List<String>> ATTRIBUTES_OF_TABLES =
      Map.of(
          "termForm",
          Comparison.Kind.WORDS.stream().filter(word -> !isElement(word)).toList(),
          "sum",
          ClauseRule.Relation.WORDS);

  private static final Set<String> REPEATED =
      Set.of(
          "label",
          "forEach",
          "where",
          "conjClause",
          "var",
          "all",
          "any",
          "atLeast",
          "sum",
          "within",
          "replicasDiverged",
          "term",
          "group",
          "of",
          "in",
          "alert",
          "guard");

  private static final Map<String, Shape> SHAPES =
      Stream.of(containers(), empties(), leaves())
          .flatMap(stream -> stream)
          .collect(Collectors.toUnmodifiableMap(Shape::element, shape -> shape));

  private XmlGrammar() {}

  /** What an element may hold. */
  record Shape(String element, Vocabulary children, Vocabulary attributes, boolean text) {
    private static Shape of(String element, String children, String attributes, boolean text) {
      String owner = "<" + element + ">";
      return new Shape(
          element,
          new Vocabulary("element", owner, words(children), Set.of()),
          new Vocabulary("attribute", owner, words(attributes), Set.of()),
          text);
    }

    private Shape planned(Set<String> words) {
      return new Shape(element, children.withPlanned(words), attributes.withPlanned(words), text);
    }

    private Shape otherwise(Map<String, String> ways) {
      return new Shape(element, children.withOtherwise(ways), attributes.withOtherwise(ways), text);
    }
  }

  /** The shape of an element that its parent's shape knows. */
  static Shape shape(String element) {
    Shape shape = SHAPES.get(element);
    if (shape == null) {
      throw new IllegalStateException("every known element must have a shape: " + element);
    }
    return shape;
  }

  static boolean mayRepeat(String element) {
    return REPEATED.contains(element);
  }

  private static Stream<Shape> containers() {
    String inRoot =
        "name label type epsilon uncertainty replicas forEach where conjClause violation"
            + " onViolation";
    String inTerm = "store var " + String.join(" ", ATTRIBUTES_OF_TABLES.get("termForm"));
    return Stream.of(
        Shape.of(ROOT, inRoot, "name", false),
        Shape.of("conjClause", "id var", "", false),
        Shape.of("var", "name value", "", false),
        Shape.of("violation", "all any atLeast sum within replicasDiverged", "", false)
            .planned(Vocabulary.PLANNED_CLAUSES)
            .otherwise(Vocabulary.OTHER_CLAUSES),
        Shape.of("all", "term group", "for", false),
        Shape.of("any", "term group", "for", false),
        Shape.of("atLeast", "term group", "count distinct for", false),
        Shape.of(
            "sum",
            "of",
            "count distinct for " + String.join(" ", ClauseRule.Relation.WORDS),
            false),
        Shape.of("within", "after missing", "time for", false),
        Shape.of("after", "in", inTerm, false).otherwise(Vocabulary.OTHER_COMPARISONS),
        Shape.of("missing", "in", inTerm, false).otherwise(Vocabulary.OTHER_COMPARISONS),
        Shape.of("group", "term", "on", false),
        Shape.of("term", "in", inTerm, false).otherwise(Vocabulary.OTHER_COMPARISONS),
        Shape.of(
            "onViolation",
            "rollback rollbackOn alertOn alert whenFrequent onUnreachable budget approval",
            "",
            false),
        Shape.of("whenFrequent", "guard", "over per then", false));
  }

  private static Stream<Shape> empties() {
    return Stream.of(
        Shape.of("replicasDiverged", "", "store var longerThan for", false),
        Shape.of("rollback", "", "scope to", false),
        Shape.of("budget", "", "atMost per", false));
  }

  private static Stream<Shape> leaves() {
    String plain =
        "name value id type epsilon uncertainty replicas where in rollbackOn alertOn alert"
            + " onUnreachable guard approval";
    return Stream.concat(
        words(plain).stream().map(leaf -> Shape.of(leaf, "", "", true)),
        Stream.of(
            Shape.of("label", "", "name", true),
            Shape.of("forEach", "", "name", true),
            Shape.of("of", "", "store times", true)));
  }

  private static boolean isElement(String comparison) {
    return Comparison.Kind.of(comparison).operand() == Comparison.Operand.TEMPLATES;
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toList();
  }
}
