package io.palinode.detection.search;

import io.palinode.predicate.ClauseRule;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds cliques of {@code count} intervals of different members of one term, whose values add up to
 * what must not be. Each choice of members is a sum, and searched as one ({@link SumSearch}).
 *
 * <p>Where no more than {@code count} members have an interval there is one choice. Then the least
 * and the greatest value of each member, which are kept added up ({@link ClauseQueues}), mostly
 * decide at once. With more members they are chosen depth first, which is exponential at worst; a
 * choice is left as soon as no values of what is left can make up the rest. One search stops after
 * a number of steps.
 */
final class TotalSearch implements Search {
  private final ClauseRule.Sum rule;
  private final int count;
  private final ClauseQueues queues;
  private final Horizon horizon;
  private final Budget budget;

  TotalSearch(ClauseRule.Sum rule, int count, ClauseQueues queues, Horizon horizon, Budget budget) {
    this.rule = rule;
    this.count = count;
    this.queues = queues;
    this.horizon = horizon;
    this.budget = budget;
  }

  @Override
  public Retained @Nullable [] earliest(Goal goal, Retained... fixed) {
    if (isExcluded()) {
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
    return !isExcluded() && new Choice(goal, fixed).visit(search -> search.isInAny(goal, fixed));
  }

  @Override
  public void all(Retained fixed, Consumer<Retained[]> cliques) {
    if (!isExcluded()) {
      new Choice(Goal.ANY, fixed)
          .visit(
              search -> {
                search.all(fixed, cliques);
                return false;
              });
    }
  }

  /** Whether the values that are kept show that there is no clique. */
  private boolean isExcluded() {
    return queues.size() < count
        || (queues.size() == count && !rule.mayHold(queues.least(), queues.most()));
  }

  /** The choice of members, in a limited number of steps. */
  private final class Choice {
    private final Retained[] fixed;
    private final TermQueues[] members;
    private final TermQueues[] chosen = new TermQueues[count];
    private final Budget.Steps steps = budget.search();
    private Goal goal;
    // Of the members from each place on: of one of them.
    private BigDecimal[] least = {};
    private BigDecimal[] most = {};

    Choice(Goal goal, Retained... fixed) {
      this.goal = goal;
      this.fixed = fixed;
      TermQueues[] fitting = new TermQueues[queues.size()];
      int size = 0;
      for (int index = 0; index < fitting.length; index++) {
        TermQueues member = queues.get(index);
        if (!isFixed(member) && mayFit(member)) {
          fitting[size++] = member;
        }
      }
      this.members = Arrays.copyOf(fitting, size);
      for (int i = 0; i < fixed.length; i++) {
        chosen[i] = queues.get(fixed[i].term());
      }
    }

    private boolean isFixed(TermQueues member) {
      for (Retained each : fixed) {
        if (each.term() == member.term()) {
          return true;
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

    /** Passes each choice that may have a clique to {@code isLast}, until that holds. */
    boolean visit(Predicate<SumSearch> isLast) {
      if (members.length < count - fixed.length) {
        return false;
      }
      boolean ended;
      if (members.length == count - fixed.length) {
        System.arraycopy(members, 0, chosen, fixed.length, members.length);
        ended = isLast.test(search());
      } else {
        BigDecimal sum = BigDecimal.ZERO;
        for (Retained each : fixed) {
          sum = sum.add(each.amount());
        }
        addUp();
        ended = visit(0, fixed.length, sum, sum, isLast);
      }
      if (!ended && steps.areSpent()) {
        budget.countCut();
      }
      return ended;
    }

    private SumSearch search() {
      return new SumSearch(rule, chosen.clone(), horizon, budget, steps);
    }

    private void addUp() {
      least = new BigDecimal[members.length];
      most = new BigDecimal[members.length];
      for (int i = members.length - 1; i >= 0; i--) {
        boolean isLast = i == members.length - 1;
        least[i] = isLast ? members[i].least() : members[i].least().min(least[i + 1]);
        most[i] = isLast ? members[i].most() : members[i].most().max(most[i + 1]);
      }
    }

    /** {@code leastSum} and {@code mostSum} are of those chosen. */
    private boolean visit(
        int from, int size, BigDecimal leastSum, BigDecimal mostSum, Predicate<SumSearch> isLast) {
      if (size == count) {
        return rule.mayHold(leastSum, mostSum) && isLast.test(search());
      }
      BigDecimal left = BigDecimal.valueOf(count - size);
      for (int i = from; i <= members.length - (count - size); i++) {
        if (!steps.take()
            || !rule.mayHold(
                leastSum.add(least[i].multiply(left)), mostSum.add(most[i].multiply(left)))) {
          // Fewer are left further on.
          return false;
        }
        chosen[size] = members[i];
        if (visit(
            i + 1,
            size + 1,
            leastSum.add(members[i].least()),
            mostSum.add(members[i].most()),
            isLast)) {
          return true;
        }
        if (steps.areSpent()) {
          return false;
        }
      }
      return false;
    }
  }
}
