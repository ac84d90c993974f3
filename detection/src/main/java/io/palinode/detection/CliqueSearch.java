package io.palinode.detection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds intervals, one of each term, that are pairwise certain to be concurrent.
 *
 * <p>With one queue chosen for each term, the search is that for a weak conjunctive predicate (Garg
 * and Waldecker, "Detection of Weak Unstable Predicates in Distributed Programs", IEEE TPDS 1994;
 * the head that is passed is the <em>forbidden</em> state of Chase and Garg, "Detection of Global
 * Predicates: Techniques and Their Limitations", Distributed Computing 1998): while one head may be
 * before another, it may be before all that follow the other in its queue ({@link
 * Horizon#mayBeBefore}), so it is in no clique of what is left, and is passed. Heads that cannot be
 * passed are a clique, and the first one. It costs O(k² · retained) comparisons for k terms,
 * because no head ever goes back.
 *
 * <p>A term that holds at several nodes has several queues. Choosing among them is where the
 * problem is hard: a term is then a disjunction over nodes, and detection is NP-complete in k
 * (Mittal and Garg, "On Detecting Global Predicates in Distributed Computations", ICDCS 2001). So
 * the queues are chosen depth first, heads are kept from choice to choice, a choice is given up as
 * soon as its queues, or one of them with all queues of a term that is still to be chosen, hold no
 * clique; and a search stops after {@code stepsMax} passed heads. With two terms there is nothing
 * to choose.
 *
 * <p>Where clocks went back, which only a recorded trace can show, heads must not be passed: then
 * every combination is tried.
 */
final class CliqueSearch {
  static final long UNLIMITED = Long.MAX_VALUE;

  private final IntervalQueue[][] queues;
  private final Horizon horizon;
  private final long stepsMax;
  private long cut;

  /** {@code queues[term][node]}. */
  CliqueSearch(IntervalQueue[][] queues, Horizon horizon, long stepsMax) {
    this.queues = queues;
    this.horizon = horizon;
    this.stepsMax = stepsMax;
  }

  /** How many searches were stopped before their end. */
  long cut() {
    return cut;
  }

  /**
   * A clique with all of {@code fixed}, which are of different terms and pairwise concurrent; null
   * when there is none. In the order of terms.
   */
  Retained @Nullable [] complete(Retained... fixed) {
    int[] order = openTerms(fixed);
    if (!isMonotone()) {
      Retained[] clique = new Retained[queues.length];
      return walk(order, 0, fixed, withFixed(clique, fixed), found -> true) ? clique : null;
    }
    Lane[][] choices = new Lane[order.length][];
    for (int depth = 0; depth < order.length; depth++) {
      choices[depth] = lanes(order[depth], fixed);
      if (choices[depth].length == 0) {
        return null;
      }
    }
    Choice choice = new Choice(choices);
    List<Lane> chosen = choice.from(List.of());
    cut += choice.steps > stepsMax ? 1 : 0;
    return chosen == null ? null : clique(fixed, order, chosen);
  }

  /** Passes every clique with {@code fixed} on, in the order of queues. */
  void all(Retained fixed, Consumer<Retained[]> cliques) {
    Retained[] all = {fixed};
    walk(
        openTerms(all),
        0,
        all,
        withFixed(new Retained[queues.length], all),
        clique -> {
          cliques.accept(clique.clone());
          return false;
        });
  }

  /** Completes {@code clique} in every way, until {@code isLast}; whether that came. */
  private boolean walk(
      int[] order, int depth, Retained[] fixed, Retained[] clique, Predicate<Retained[]> isLast) {
    if (depth == order.length) {
      return isLast.test(clique);
    }
    for (Lane lane : lanes(order[depth], fixed)) {
      for (; !lane.isExhausted(); lane.next()) {
        Retained[] more = Arrays.copyOf(fixed, fixed.length + 1);
        more[fixed.length] = lane.head();
        clique[order[depth]] = lane.head();
        if (walk(order, depth + 1, more, clique, isLast)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isMonotone() {
    return Arrays.stream(queues).flatMap(Arrays::stream).allMatch(IntervalQueue::isAscending);
  }

  /** Those with the fewest intervals first: where one has none that fits, the search ends early. */
  private int[] openTerms(Retained... fixed) {
    return IntStream.range(0, queues.length)
        .filter(term -> Arrays.stream(fixed).noneMatch(interval -> interval.term() == term))
        .boxed()
        .sorted(Comparator.comparingInt(this::retained))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private int retained(int term) {
    return Arrays.stream(queues[term]).mapToInt(IntervalQueue::size).sum();
  }

  private Lane[] lanes(int term, Retained[] fixed) {
    return Arrays.stream(queues[term])
        .filter(queue -> queue.size() > 0)
        .map(queue -> Lane.of(queue, fixed, horizon))
        .filter(lane -> !lane.isExhausted())
        .toArray(Lane[]::new);
  }

  private Retained[] clique(Retained[] fixed, int[] order, List<Lane> chosen) {
    Retained[] clique = withFixed(new Retained[queues.length], fixed);
    for (int depth = 0; depth < order.length; depth++) {
      clique[order[depth]] = chosen.get(depth).head();
    }
    return clique;
  }

  private static Retained[] withFixed(Retained[] clique, Retained[] fixed) {
    for (Retained each : fixed) {
      clique[each.term()] = each;
    }
    return clique;
  }

  /** The choice of one lane for each term. */
  private final class Choice {
    private final Lane[][] choices;
    private long steps;

    Choice(Lane[][] choices) {
      this.choices = choices;
    }

    /** Goes on from lanes whose heads are a clique. Null when that leads nowhere. */
    @Nullable List<Lane> from(List<Lane> chosen) {
      if (chosen.size() == choices.length) {
        return chosen;
      }
      for (Lane lane : choices[chosen.size()]) {
        List<Lane> more = new ArrayList<>(choices.length);
        chosen.forEach(each -> more.add(each.copy()));
        more.add(lane.copy());
        List<Lane> all = settle(more) && leavesChoices(lane, more.size()) ? from(more) : null;
        if (all != null || steps > stepsMax) {
          return all;
        }
      }
      return null;
    }

    /** Passes heads until all are concurrent; false when a lane has none left. */
    private boolean settle(List<Lane> lanes) {
      boolean moved = true;
      while (moved && steps <= stepsMax) {
        moved = false;
        for (Lane lane : lanes) {
          for (Lane other : lanes) {
            while (lane != other && horizon.mayBeBefore(lane.head(), other.head())) {
              lane.passTo(other.head());
              if (lane.isExhausted() || ++steps > stepsMax) {
                return false;
              }
              moved = true;
            }
          }
        }
      }
      return steps <= stepsMax;
    }

    /**
     * Whether each term still to be chosen, but for the next one, has a lane that goes with this
     * one.
     */
    private boolean leavesChoices(Lane lane, int depth) {
      for (int later = depth + 1; later < choices.length; later++) {
        boolean fits = false;
        for (int i = 0; i < choices[later].length && !fits; i++) {
          fits = settle(List.of(lane.copy(), choices[later][i].copy()));
        }
        if (!fits) {
          return false;
        }
      }
      return true;
    }
  }
}
