package io.palinode.predicate.text;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names in one construct: {@code known} now, {@code planned} in a later release. Others are
 * refused with an error that names them.
 *
 * @param kind what is named: field, element, attribute
 * @param owner where: {@code spec}, {@code <predicate>}
 * @param otherwise names that the language lacks, with the way to write what they mean
 */
public record Vocabulary(
    String kind,
    String owner,
    List<String> known,
    Set<String> planned,
    Map<String, String> otherwise) {
  public static final Set<String> PLANNED_CLAUSES = Set.of("not");

  private static final String WRITE_SKEW =
      "nodes do not publish what a session had read; use 'all' or 'sum' for what the two keys must"
          + " not hold together";

  /** In place of clauses. */
  public static final Map<String, String> OTHER_CLAUSES =
      Map.of(
          "min",
          "use 'any' with 'below: k' for a least value below k, 'all' with 'above: k' for one above"
              + " k",
          "max",
          "use 'any' with 'above: k' for a greatest value above k, 'all' with 'below: k' for one"
              + " below k",
          "count",
          "use 'atLeast' with 'count' and the terms",
          "writeSkew",
          WRITE_SKEW);

  /** In place of comparisons of a term. */
  public static final Map<String, String> OTHER_COMPARISONS = Map.of("writeSkew", WRITE_SKEW);

  /** Without names that the language lacks. */
  public Vocabulary(String kind, String owner, List<String> known, Set<String> planned) {
    this(kind, owner, known, planned, Map.of());
  }

  public Vocabulary withPlanned(Set<String> words) {
    return new Vocabulary(kind, owner, known, words, otherwise);
  }

  public Vocabulary withOtherwise(Map<String, String> ways) {
    return new Vocabulary(kind, owner, known, planned, ways);
  }

  /** Refuses a name that is not known, with the way out: what was meant, or what there is. */
  public void require(Text name) {
    String word = name.value();
    if (known.contains(word)) {
      return;
    }
    if (planned.contains(word)) {
      throw name.refusal(
          "'" + word + "' is not supported yet in " + owner + "; supported: " + knownText());
    }
    throw name.refusal("unknown " + kind + " '" + word + "' in " + owner + "; " + way(word));
  }

  private String way(String word) {
    String other = otherwise.get(word);
    if (other != null) {
      return other;
    }
    String nearest = Spelling.nearest(word, known);
    return nearest == null ? "supported: " + knownText() : "did you mean '" + nearest + "'?";
  }

  private String knownText() {
    return known.isEmpty() ? "none" : String.join(", ", known);
  }
}
