package io.palinode.detection.search;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds cliques of {@code count} of a clause's local predicates: each combination of them is a
 * conjunction, and searched as one ({@link CliqueSearch}).
 *
 * <p>With a count of two this is mutual exclusion, the semilinear predicate of Chase and Garg
 * ("Detection of Global Predicates: Techniques and Their Limitations", Distributed Computing 1998).
 * With more it is none that they can advance on: where fewer than {@code count} hold, either of two
 * of these may have to stay. As a disjunction of conjunctions it costs a search for each
 * combination; only of local predicates that hold somewhere now, and only with what is fixed.
 */
final class CombinationSearch implements Search {
  private final int count;
  private final TermQueues[] queues;
  private final int[] localOf;
  private final int locals;
  private final Horizon horizon;
  private final Budget budget;

  /** {@code localOf[term]} is the local predicate of a term, counted from 0. */
  CombinationSearch(int count, TermQueues[] queues, int[] localOf, Horizon horizon, Budget budget) {
    this.count = count;
    this.queues = queues;
    this.localOf = localOf;
    this.locals = localOf[localOf.length - 1] + 1;
    this.horizon = horizon;
    this.budget = budget;
  }

  @Override
  public Retained @Nullable [] earliest(Goal goal, Retained... fixed) {
    Retained[][] earliest = new Retained[1][];
    Goal[] left = {goal};
    forEachCombination(
        fixed,
        search -> {
          Retained[] found = search.earliest(left[0], fixed);
          if (found != null) {
            earliest[0] = found;
            left[0] = new Goal(goal.grade(), Finding.violate(found) - 1);
          }
          return true;
        });
    return earliest[0];
  }

  @Override
  public boolean isInAny(Goal goal, Retained fixed) {
    Retained[] all = {fixed};
    return !forEachCombination(all, search -> !search.isInAny(goal, fixed));
  }

  @Override
  public void all(Retained fixed, Consumer<Retained[]> cliques) {
    Retained[] all = {fixed};
    forEachCombination(
        all,
        search -> {
          search.all(fixed, cliques);
          return true;
        });
  }

  private interface Visitor {
    /** Whether to go on. */
    boolean visit(CliqueSearch search);
  }

  /** Those with the local predicates of {@code fixed}, until a visit ends it; whether none did. */
  private boolean forEachCombination(Retained[] fixed, Visitor visitor) {
    boolean[] chosen = new boolean[locals];
    int left = count;
    for (Retained each : fixed) {
      int local = localOf[each.term()];
      left -= chosen[local] ? 0 : 1;
      chosen[local] = true;
    }
    return left < 0 || combine(chosen, 0, left, visitor);
  }

  private boolean combine(boolean[] chosen, int from, int left, Visitor visitor) {
    if (left == 0) {
      return visitor.visit(search(chosen));
    }
    for (int local = from; local <= locals - left; local++) {
      if (!chosen[local] && holdsSomewhere(local)) {
        chosen[local] = true;
        boolean goesOn = combine(chosen, local + 1, left - 1, visitor);
        chosen[local] = false;
        if (!goesOn) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean holdsSomewhere(int local) {
    for (int term = 0; term < queues.length; term++) {
      if (localOf[term] == local && queues[term].held().isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private CliqueSearch search(boolean[] chosen) {
    List<TermQueues> terms = new ArrayList<>();
    for (int term = 0; term < queues.length; term++) {
      if (chosen[localOf[term]]) {
        terms.add(queues[term]);
      }
    }
    int[] groups = terms.stream().mapToInt(term -> localOf[term.term()]).toArray();
    return new CliqueSearch(terms.toArray(TermQueues[]::new), groups, horizon, budget);
  }
}
