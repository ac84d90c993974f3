package io.palinode.detection.search;

import io.palinode.hvc.Grade;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds what makes a clause true: cliques, which are intervals of different terms that are pairwise
 * certain to be concurrent with at least a grade, and of which the clause's rule holds. In the
 * order of terms.
 */
interface Search {
  /**
   * What a search is for: intervals that are pairwise certain to be concurrent with at least {@code
   * grade}, none of which starts later than {@code violateMax} on its own node.
   */
  record Goal(Grade grade, long violateMax) {
    static final Goal ANY = new Goal(Grade.UNCERTAIN, Long.MAX_VALUE);
  }

  /**
   * Of the cliques under the goal with all of {@code fixed}, one whose greatest start is the least;
   * null when there is none. {@code fixed} are of different terms, and go with each other under the
   * goal.
   */
  Retained @Nullable [] earliest(Goal goal, Retained... fixed);

  /** Whether there is a clique under the goal with {@code fixed}. */
  boolean isInAny(Goal goal, Retained fixed);

  /** Passes every clique with {@code fixed} on. */
  void all(Retained fixed, Consumer<Retained[]> cliques);
}
