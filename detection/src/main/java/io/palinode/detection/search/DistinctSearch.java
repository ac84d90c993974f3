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
    if (areTooFew(goal, fixed)) {
      return null;
    }
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
    return !areTooFew(goal, fixed)
        && new Choice(goal, fixed).visit(search -> search.isInAny(goal, fixed));
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

  /**
   * Whether too few members are left beside those that have ended and do not fit: so it is while
   * nothing is violated. Of many members few have ended, and what is open mostly fits.
   */
  private boolean areTooFew(Goal goal, Retained... fixed) {
    int left = queues.size();
    for (int i = 0; i < queues.ended().size() && left >= count; i++) {
      TermQueues member = queues.ended().get(i);
      left -= isFixed(member, fixed) || mayFit(member, goal, fixed) ? 0 : 1;
    }
    return left < count;
  }

  private static boolean isFixed(TermQueues member, Retained... fixed) {
    for (Retained each : fixed) {
      if (each.term() == member.term()) {
        return true;
      }
    }
    return false;
  }

  private boolean mayFit(TermQueues member, Goal goal, Retained... fixed) {
    for (Retained each : fixed) {
      if (!member.mayFit(each, horizon, goal.grade())) {
        return false;
      }
    }
    return true;
  }

  /** The choice of members, in a limited number of steps. */
  private final class Choice {
    private final Retained[] fixed;
    private final TermQueues[] chosen = new TermQueues[count];
    private final Budget.Steps steps = budget.search();

    /** The members that may be chosen, in the order of indexes. */
    private final int[] fitting = new int[queues.size()];

    private int fits;
    private Goal goal;

    Choice(Goal goal, Retained... fixed) {
      this.goal = goal;
      this.fixed = fixed;
      for (int i = 0; i < fixed.length; i++) {
        chosen[i] = queues.get(fixed[i].term());
      }
    }

    /** Passes each choice that may have a clique to {@code isLast}, until that holds. */
    boolean visit(Predicate<CliqueSearch> isLast) {
      fit();
      boolean ended = visit(0, fixed.length, isLast);
      if (!ended && steps.areSpent()) {
        budget.countCut();
      }
      return ended;
    }

    /** Most members of many have no interval that may fit, so too few are left most of the time. */
    private void fit() {
      for (int index = 0; index < queues.size(); index++) {
        TermQueues member = queues.get(index);
        if (!isFixed(member, fixed) && mayFit(member, goal, fixed)) {
          fitting[fits++] = index;
        }
      }
    }

    private boolean visit(int from, int size, Predicate<CliqueSearch> isLast) {
      if (size == count) {
        return isLast.test(search(size));
      }
      for (int next = from; next <= fits - (count - size); next++) {
        chosen[size] = queues.get(fitting[next]);
        steps.take(count * (long) count);
        if (!steps.take()) {
          return false;
        }
        boolean hasClique = size + 1 == count || search(size + 1).hasAny(goal, fixed);
        if (hasClique && visit(next + 1, size + 1, isLast)) {
          return true;
        }
        if (steps.areSpent()) {
          return false;
        }
      }
      return false;
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
