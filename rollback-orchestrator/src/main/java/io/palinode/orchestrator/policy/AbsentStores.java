package io.palinode.orchestrator.policy;

import io.palinode.predicate.text.Spelling;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The stores of a predicate's terms that no node has: these terms find nothing. Immutable.
 *
 * @param absent not empty
 * @param present the stores that nodes have
 */
public record AbsentStores(Set<String> absent, Set<String> present) {
  private static final int SHOWN_MAX = 10;

  /**
   * Null if each store of the terms is at some node.
   *
   * @param present empty: not known, so no store is absent
   */
  public static @Nullable AbsentStores of(Set<String> ofTerms, Set<String> present) {
    Set<String> absent = new TreeSet<>(ofTerms);
    absent.removeAll(present);
    return present.isEmpty() || absent.isEmpty() ? null : new AbsentStores(absent, present);
  }

  /** What is wrong, and the way out. */
  public String warning() {
    return what() + "; " + wayOut();
  }

  public String what() {
    return "no node has the %s %s of its terms, which find nothing; the nodes have %s"
        .formatted(absent.size() == 1 ? "store" : "stores", shown(absent), shown(present));
  }

  public String wayOut() {
    return "apply it with the right name, or create the store"
        + absent.stream()
            .map(name -> Spelling.hint(name, present))
            .filter(hint -> !hint.isEmpty())
            .findFirst()
            .orElse("");
  }

  private static String shown(Collection<String> names) {
    String shown =
        names.stream()
            .sorted()
            .limit(SHOWN_MAX)
            .map(name -> "'" + name + "'")
            .collect(Collectors.joining(", "));
    int more = names.size() - SHOWN_MAX;
    return more > 0 ? shown + " and %d more".formatted(more) : shown;
  }
}
