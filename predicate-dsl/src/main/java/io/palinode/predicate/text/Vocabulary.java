package io.palinode.predicate.text;

import java.util.List;
import java.util.Set;

/**
 * The names in one construct: {@code known} now, {@code planned} in a later release. Others are
 * refused with an error that names them.
 *
 * @param kind what is named: field, element, attribute
 * @param owner where: {@code spec}, {@code <predicate>}
 */
public record Vocabulary(String kind, String owner, List<String> known, Set<String> planned) {
  public static final Set<String> PLANNED_CLAUSES = Set.of("not");

  public Vocabulary withPlanned(Set<String> words) {
    return new Vocabulary(kind, owner, known, words);
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
    String hint = Spelling.hint(word, known);
    throw name.refusal(
        "unknown "
            + kind
            + " '"
            + word
            + "' in "
            + owner
            + (hint.isEmpty() ? "; supported: " + knownText() : hint));
  }

  private String knownText() {
    return known.isEmpty() ? "none" : String.join(", ", known);
  }
}
