package io.palinode.detection.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds cliques of a conjunction: one interval of each of its terms, and those of a group on one
 * node.
 *
 * <p>With one queue chosen for each term, the search is that for a weak conjunctive predicate (Garg
 * and Waldecker, "Detection of Weak Unstable Predicates in Distributed Programs", IEEE TPDS 1994;
 * the head that is passed is the <em>forbidden</em> state of Chase and Garg, "Detection of Global
 * Predicates: Techniques and Their Limitations", Distributed Computing 1998): while one head I may
 * end too early for another head J, it may end too early for all that follow J in its queue, so it
 * is in no clique of what is left, and is passed. Heads that cannot be passed are a clique, and the
 * first one in every queue; so no other of these queues has a lesser {@code violate}. It costs O(k²
 * · retained) comparisons for k terms, because no head ever goes back.
 *
 * <p>Passing needs that "I may end too early for J" holds for all that follow J, and that a pair is
 * of the grade unless one of the two may end too early. Let e be any end of I that is possible, s
 * the start of J, and s' ≥ s (in every entry) that of one which follows J on its node:
 *
 * <ul>
 *   <li>for UNCERTAIN, e is too early when e &lt; s, and by ε if that counts; then e &lt; s' too;
 *   <li>for POSSIBLE, also when e &lt; s without regard to ε; then e &lt; s' too;
 *   <li>for DEFINITE, also unless s happened before e (s &lt; e, or e is more than ε later); what
 *       did not happen before e at s did not at s' either.
 * </ul>
 *
 * Each looks at one end and the other's start only, and a pair's grade is the least of both sides;
 * so the argument is the same for each grade.
 *
 * <p>A term that holds at several nodes has several queues. Choosing among them is where the
 * problem is hard: a term is then a disjunction over nodes, and detection is NP-complete in k
 * (Mittal and Garg, "On Detecting Global Predicates in Distributed Computations", ICDCS 2001). So
 * queues are chosen depth first, heads are kept from choice to choice, and a choice is given up as
 * soon as its queues hold no clique. Of a group's terms, queues of one node are chosen. If that
 * does not end soon, queues that go with no queue of some other term are left out first, O((k ·
 * n)²) pairs. A search stops after {@code stepsMax} steps. With two terms there is nothing to
 * choose.
 *
 * <p>Where clocks went back, which only a recorded trace can show, heads must not be passed: then
 * every combination is tried.
 */
public final class CliqueSearch implements Search {
  private static final long QUICK_STEPS = 1_000;

  private final TermQueues[] queues;
  private final int[] groups;
  private final boolean grouped;
  private final Horizon horizon;
  private final Budget budget;
  // The term that did not fit last, which is likely not to fit now.
  private int unfit;

  /**
   * Of the terms of {@code queues}, those with the same {@code groups[i]}, which rise, hold on one
   * node.
   */
  CliqueSearch(TermQueues[] queues, int[] groups, Horizon horizon, Budget budget) {
    this.queues = queues;
    this.groups = groups;
    this.grouped = hasEqual(groups);
    this.horizon = horizon;
    this.budget = budget;
  }

  private static boolean hasEqual(int[] rising) {
    for (int i = 1; i < rising.length; i++) {
      if (rising[i] == rising[i - 1]) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Retained @Nullable [] earliest(Goal goal, Retained... fixed) {
    long least = Finding.violate(fixed);
    if (isGroupSplit(fixed)) {
      return null;
    }
    if (fixed.length >= queues.length - 1 && least <= goal.violateMax() && isMonotone()) {
      // At most one term is left to choose, and its earliest head comes first.
      return complete(goal, fixed);
    }
    Retained[] earliest = null;
    long violateMax = goal.violateMax();
    while (violateMax >= least) {
      Retained[] earlier = complete(new Goal(goal.grade(), violateMax), fixed);
      if (earlier == null) {
        break;
      }
      earliest = earlier;
      violateMax = Finding.violate(earlier) - 1;
    }
    return earliest;
  }

  @Override
  public boolean isInAny(Goal goal, Retained fixed) {
    return mayFitEveryTerm(goal, fixed) && complete(goal, fixed) != null;
  }

  /** As {@link #isInAny}, with all of {@code fixed}. */
  boolean hasAny(Goal goal, Retained... fixed) {
    return Finding.violate(fixed) <= goal.violateMax() && complete(goal, fixed) != null;
  }

  /** False when some term's intervals all end too early: so it is while nothing is violated. */
  private boolean mayFitEveryTerm(Goal goal, Retained fixed) {
    for (int i = 0; i < queues.length; i++) {
      int index = (unfit + i) % queues.length;
      TermQueues term = queues[index];
      if (term.term() != fixed.term() && !term.mayFit(fixed, horizon, goal.grade())) {
        unfit = index;
        return false;
      }
    }
    return true;
  }

  /** Like {@link #earliest}, but any clique. */
  private Retained @Nullable [] complete(Goal goal, Retained... fixed) {
    int[] order = openTerms(fixed);
    if (!isMonotone()) {
      Walk walk = new Walk(goal, order, found -> true);
      return walk.from(fixed) ? walk.clique : null;
    }
    Lane[][] choices = new Lane[order.length][];
    for (int depth = 0; depth < order.length; depth++) {
      choices[depth] = lanes(goal, order[depth], fixed);
      if (choices[depth].length == 0) {
        return null;
      }
    }
    if (order.length == 1) {
      return clique(fixed, order, List.of(choices[0][0]));
    }
    List<Lane> chosen = choose(choices);
    return chosen == null ? null : clique(fixed, order, chosen);
  }

  private @Nullable List<Lane> choose(Lane[][] choices) {
    Budget.Steps steps = budget.search();
    Choice quick = new Choice(choices, steps.atMost(QUICK_STEPS));
    List<Lane> chosen = quick.from(List.of());
    if (!quick.isCut()) {
      return chosen;
    }
    Choice thorough = new Choice(choices, steps);
    chosen = thorough.leaveOutWhatFitsNothing() ? thorough.from(List.of()) : null;
    if (thorough.isCut()) {
      budget.countCut();
    }
    return chosen;
  }

  @Override
  public void all(Retained fixed, Consumer<Retained[]> cliques) {
    Walk walk =
        new Walk(
            Goal.ANY,
            openTerms(fixed),
            clique -> {
              cliques.accept(clique.clone());
              return false;
            });
    walk.from(fixed);
  }

  private boolean isMonotone() {
    for (TermQueues term : queues) {
      if (!term.isAscending()) {
        return false;
      }
    }
    return true;
  }

  /**
   * By index. Those with the fewest intervals first: where one has none that fits, the search ends
   * early.
   */
  private int[] openTerms(Retained... fixed) {
    int[] open = new int[queues.length - fixed.length];
    int count = 0;
    for (int term = 0; term < queues.length; term++) {
      if (!isFixed(term, fixed)) {
        int at = count++;
        int size = queues[term].size();
        for (; at > 0 && queues[open[at - 1]].size() > size; at--) {
          open[at] = open[at - 1];
        }
        open[at] = term;
      }
    }
    return open;
  }

  private boolean isFixed(int index, Retained[] fixed) {
    for (Retained each : fixed) {
      if (each.term() == queues[index].term()) {
        return true;
      }
    }
    return false;
  }

  /** The earliest heads first: so what is found first is mostly the earliest. */
  private Lane[] lanes(Goal goal, int index, Retained[] fixed) {
    List<IntervalQueue> held = queues[index].held();
    Lane[] lanes = new Lane[held.size()];
    int count = 0;
    for (int i = 0; i < held.size(); i++) {
      Lane lane = new Lane(held.get(i), groups[index], fixed, horizon, goal);
      if (!lane.isExhausted() && isOnGroupsNode(lane, fixed)) {
        int at = count++;
        for (; at > 0 && lanes[at - 1].headStart() > lane.headStart(); at--) {
          lanes[at] = lanes[at - 1];
        }
        lanes[at] = lane;
      }
    }
    return count == lanes.length ? lanes : Arrays.copyOf(lanes, count);
  }

  private boolean isGroupSplit(Retained[] fixed) {
    for (int i = 0; grouped && i < fixed.length; i++) {
      for (int j = 0; j < i; j++) {
        boolean sameGroup = groups[indexOf(fixed[i])] == groups[indexOf(fixed[j])];
        if (sameGroup && fixed[i].node() != fixed[j].node()) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isOnGroupsNode(Lane lane, Retained[] fixed) {
    for (int i = 0; grouped && i < fixed.length; i++) {
      Retained each = fixed[i];
      if (groups[indexOf(each)] == lane.group() && each.node() != lane.node()) {
        return false;
      }
    }
    return true;
  }

  private Retained[] clique(Retained[] fixed, int[] order, List<Lane> chosen) {
    Retained[] clique = withFixed(new Retained[queues.length], fixed);
    for (int depth = 0; depth < order.length; depth++) {
      clique[order[depth]] = chosen.get(depth).head();
    }
    return clique;
  }

  private Retained[] withFixed(Retained[] clique, Retained[] fixed) {
    for (Retained each : fixed) {
      clique[indexOf(each)] = each;
    }
    return clique;
  }

  private int indexOf(Retained interval) {
    // Where all terms of the clause are searched, an index is a term; else it is not greater.
    int index = Math.min(interval.term(), queues.length - 1);
    while (queues[index].term() != interval.term()) {
      index--;
    }
    return index;
  }

  /** Every combination, in a limited number of steps for each clique. */
  private final class Walk {
    private final Goal goal;
    private final int[] order;
    private final Predicate<Retained[]> isLast;
    private final Retained[] clique = new Retained[queues.length];
    private final Budget.Steps steps = budget.search();

    Walk(Goal goal, int[] order, Predicate<Retained[]> isLast) {
      this.goal = goal;
      this.order = order;
      this.isLast = isLast;
    }

    /** Completes {@code fixed} in every way, until {@code isLast}; whether that came. */
    boolean from(Retained... fixed) {
      withFixed(clique, fixed);
      boolean ended = from(0, fixed);
      if (!ended && steps.areSpent()) {
        budget.countCut();
      }
      return ended;
    }

    private boolean from(int depth, Retained[] fixed) {
      if (depth == order.length) {
        steps.renew();
        return isLast.test(clique);
      }
      for (Lane lane : lanes(goal, order[depth], fixed)) {
        for (; !lane.isExhausted(); lane.next()) {
          if (!steps.take()) {
            return false;
          }
          Retained[] more = Arrays.copyOf(fixed, fixed.length + 1);
          more[fixed.length] = lane.head();
          clique[order[depth]] = lane.head();
          if (from(depth + 1, more)) {
            return true;
          }
        }
      }
      return false;
    }
  }

  /** The choice of one lane for each term, in a limited number of steps. */
  private static final class Choice {
    private final Lane[][] choices;
    private final Budget.Steps steps;

    Choice(Lane[][] choices, Budget.Steps steps) {
      this.choices = choices.clone();
      this.steps = steps;
    }

    /** Whether it stopped before its end. */
    boolean isCut() {
      return steps.areSpent();
    }

    /** Searches on from lanes whose heads are a clique. Null if there is no such clique. */
    @Nullable List<Lane> from(List<Lane> chosen) {
      if (chosen.size() == choices.length) {
        return chosen;
      }
      for (Lane lane : choices[chosen.size()]) {
        if (!isOnGroupsNode(lane, chosen)) {
          continue;
        }
        List<Lane> more = new ArrayList<>(choices.length);
        chosen.forEach(each -> more.add(new Lane(each)));
        more.add(new Lane(lane));
        List<Lane> all = settle(more) ? from(more) : null;
        if (all != null || isCut()) {
          return all;
        }
      }
      return null;
    }

    private static boolean isOnGroupsNode(Lane lane, List<Lane> chosen) {
      for (int i = 0; i < chosen.size(); i++) {
        if (chosen.get(i).group() == lane.group() && chosen.get(i).node() != lane.node()) {
          return false;
        }
      }
      return true;
    }

    /** Passes heads until all are concurrent; false when a lane has none left. */
    private boolean settle(List<Lane> lanes) {
      steps.take();
      boolean moved = true;
      while (moved) {
        moved = false;
        for (Lane lane : lanes) {
          for (Lane other : lanes) {
            while (lane != other && lane.isForbiddenBy(other)) {
              lane.passTo(other.head());
              steps.take();
              if (lane.isExhausted() || isCut()) {
                return false;
              }
              moved = true;
            }
          }
        }
      }
      return !isCut();
    }

    /** Until each lane goes with some lane of every other term; false when a term has none left. */
    boolean leaveOutWhatFitsNothing() {
      boolean changed = true;
      while (changed && !isCut()) {
        changed = false;
        for (int term = 0; term < choices.length; term++) {
          Lane[] fitting =
              Arrays.stream(choices[term]).filter(this::fitsEveryTerm).toArray(Lane[]::new);
          changed |= fitting.length < choices[term].length;
          choices[term] = fitting;
          if (fitting.length == 0) {
            return false;
          }
        }
      }
      return !isCut();
    }

    private boolean fitsEveryTerm(Lane lane) {
      for (Lane[] others : choices) {
        boolean own = List.of(others).contains(lane);
        if (!own && Arrays.stream(others).noneMatch(other -> fit(lane, other))) {
          return false;
        }
      }
      return true;
    }

    private boolean fit(Lane lane, Lane other) {
      return settle(List.of(new Lane(lane), new Lane(other)));
    }
  }
}
