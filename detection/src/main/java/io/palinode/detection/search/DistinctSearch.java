package io.palinode.detection.search;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds cliques of {@code count} intervals of different members of one term. Each choice of members
 * is a conjunction, and searched as one ({@link CliqueSearch}).
 *
 * <p>With a count of two this is mutual exclusion among any number of members: a search looks at
 * each member once that has an interval which may fit. With more, members are chosen depth first,
 * and a choice is left as soon as its members have no clique. That is exponential in {@code count}
 * at worst (a clique among members is NP-complete), so a search stops after a number of steps.
 */
final class DistinctSearch implements Search {
  private final int count;
  private final ClauseQueues queues;
  private final Horizon horizon;
  private final Budget budget;

  DistinctSearch(int count, ClauseQueues queues, Horizon horizon, Budget budget) {
    this.count = count;
    this.queues = queues;
    this.horizon = horizon;
    this.budget = budget;
  }

  @Override
  public Retained @Nullable [] earliest(Goal goal, Retained... fixed) {
    Choice choice = new Choice(goal, fixed);
    Retained[][] earliest = new Retained[1][];
    choice.visit(
        search -> {
          Retained[] found = search.earliest(choice.goal, fixed);
          if (found != null) {
            earliest[0] = found;
            choice.goal = new Goal(goal.grade(), Finding.violate(found) - 1);
          }
          // None with all of these begins earlier than the last of them.
          return choice.goal.violateMax() < Finding.violate(fixed);
        });
    return earliest[0];
  }

  @Override
  public boolean isInAny(Goal goal, Retained fixed) {
    return new Choice(goal, fixed).visit(search -> search.isInAny(goal, fixed));
  }

  @Override
  public void all(Retained fixed, Consumer<Retained[]> cliques) {
    Choice choice = new Choice(Goal.ANY, fixed);
    choice.visit(
        search -> {
          choice.steps.renew();
          search.all(fixed, cliques);
          return false;
        });
  }

  /** The choice of members, in a limited number of steps. */
  private final class Choice {
    private final Retained[] fixed;
    private final TermQueues[] chosen = new TermQueues[count];
    private final boolean[] isFixed = new boolean[queues.size()];
    private final Budget.Steps steps = budget.search();
    private Goal goal;

    Choice(Goal goal, Retained... fixed) {
      this.goal = goal;
      this.fixed = fixed;
      for (int i = 0; i < fixed.length; i++) {
        chosen[i] = queues.get(fixed[i].term());
        isFixed[fixed[i].term()] = true;
      }
    }

    /** Passes each choice that may have a clique to {@code isLast}, until that holds. */
    boolean visit(Predicate<CliqueSearch> isLast) {
      boolean ended = visit(0, fixed.length, isLast);
      if (!ended && steps.areSpent()) {
        budget.countCut();
      }
      return ended;
    }

    private boolean visit(int from, int size, Predicate<CliqueSearch> isLast) {
      if (size == count) {
        return isLast.test(search(size));
      }
      for (int index = from; index <= queues.size() - (count - size); index++) {
        if (isFixed[index] || !mayFit(queues.get(index))) {
          continue;
        }
        chosen[size] = queues.get(index);
        steps.take(count * (long) count);
        if (!steps.take()) {
          return false;
        }
        boolean hasClique = size + 1 == count || search(size + 1).hasAny(goal, fixed);
        if (hasClique && visit(index + 1, size + 1, isLast)) {
          return true;
        }
        if (steps.areSpent()) {
          return false;
        }
      }
      return false;
    }

    private boolean mayFit(TermQueues member) {
      for (Retained each : fixed) {
        if (!member.mayFit(each, horizon, goal.grade())) {
          return false;
        }
      }
      return true;
    }

    /** In the order of indexes, as the search wants them. */
    private CliqueSearch search(int size) {
      TermQueues[] members = new TermQueues[size];
      int[] groups = new int[size];
      for (int i = 0; i < size; i++) {
        int at = i;
        for (; at > 0 && members[at - 1].term() > chosen[i].term(); at--) {
          members[at] = members[at - 1];
        }
        members[at] = chosen[i];
      }
      for (int i = 0; i < size; i++) {
        groups[i] = members[i].term();
      }
      return new CliqueSearch(members, groups, horizon, budget);
    }
  }
}
