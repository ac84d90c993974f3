package io.palinode.detection.search;

import io.palinode.hvc.Grade;
import io.palinode.predicate.ClauseRule;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds cliques of a bounded sum: one interval of each variable, whose values add up to what must
 * not be.
 *
 * <p>A search first looks at the least and the greatest value of each variable alone; while nothing
 * is violated that mostly decides, in O(retained). Then a queue is chosen for each variable that is
 * held at several nodes. For the inequalities the cut with the least (or greatest) sum of the
 * chosen queues is then found in polynomial time ({@link LeastSum}); a sum that is not a number is
 * below or above it. Whether a sum equals a number is NP-complete ({@link EqualSum}). Inequalities
 * are searched depth first where intervals of one queue overlap, as of concurrent versions, or may
 * come to, while other nodes may end them: then cuts are no lattice. A branch is left as soon as
 * the values to come cannot make up the rest. A search stops after a number of steps.
 */
final class SumSearch implements Search {
  private static final int COMPARED_IN_A_STEP = 64;

  private final ClauseRule.Sum rule;
  private final TermQueues[] queues;
  private final Horizon horizon;
  private final Budget budget;
  private final Budget.@Nullable Steps shared;

  /** A search that is no part of another, with all steps. */
  SumSearch(ClauseRule.Sum rule, TermQueues[] queues, Horizon horizon, Budget budget) {
    this(rule, queues, horizon, budget, null);
  }

  /** A part of a larger search: takes its steps of {@code shared}, and counts no cut. */
  SumSearch(
      ClauseRule.Sum rule,
      TermQueues[] queues,
      Horizon horizon,
      Budget budget,
      Budget.@Nullable Steps shared) {
    this.rule = rule;
    this.queues = queues;
    this.horizon = horizon;
    this.budget = budget;
    this.shared = shared;
  }

  /** By bisection over the starts: what can begin early enough can also begin later. */
  @Override
  public Retained @Nullable [] earliest(Goal goal, Retained... fixed) {
    Retained[] earliest = find(goal, fixed);
    if (earliest == null) {
      return null;
    }
    long[] starts = starts(Finding.violate(fixed), Finding.violate(earliest));
    int low = 0;
    int high = starts.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Retained[] earlier = find(new Goal(goal.grade(), starts[middle]), fixed);
      if (earlier == null) {
        low = middle + 1;
      } else {
        earliest = earlier;
        high = middle;
      }
    }
    return earliest;
  }

  /** When a violation can begin, from {@code least} on and before {@code end}; in order. */
  private long[] starts(long least, long end) {
    List<Long> starts = new ArrayList<>(List.of(least));
    for (TermQueues term : queues) {
      for (IntervalQueue queue : term.held()) {
        for (int i = 0; i < queue.size(); i++) {
          starts.add(queue.get(i).start().own());
        }
      }
    }
    return starts.stream()
        .mapToLong(Long::longValue)
        .filter(start -> start >= least && start < end)
        .sorted()
        .distinct()
        .toArray();
  }

  @Override
  public boolean isInAny(Goal goal, Retained fixed) {
    return find(goal, fixed) != null;
  }

  @Override
  public void all(Retained fixed, Consumer<Retained[]> cliques) {
    Attempt attempt = new Attempt(Goal.ANY, fixed);
    BooleanSupplier passOn =
        () -> {
          attempt.steps.renew();
          cliques.accept(attempt.clique());
          return false;
        };
    if (isOfEqual()) {
      attempt.addUp(passOn);
    } else {
      attempt.choose(() -> attempt.walk(passOn));
    }
    attempt.countIfCut();
  }

  private boolean isOfEqual() {
    return rule.relation() == ClauseRule.Relation.EQUALS;
  }

  private Retained @Nullable [] find(Goal goal, Retained... fixed) {
    if (Finding.violate(fixed) > goal.violateMax()) {
      return null;
    }
    Attempt attempt = new Attempt(goal, fixed);
    boolean found = isOfEqual() ? attempt.addUp(() -> true) : attempt.choose(attempt::solve);
    if (!found) {
      attempt.countIfCut();
    }
    return found ? attempt.clique() : null;
  }

  /**
   * Those intervals of a variable at a node that go with all that is fixed; there is one at least.
   */
  private static final class Row {
    private final IntervalQueue queue;
    private final List<Retained> intervals;
    private BigDecimal least;
    private BigDecimal most;

    Row(IntervalQueue queue, List<Retained> intervals) {
      this.queue = queue;
      this.intervals = intervals;
      this.least = intervals.get(0).amount();
      this.most = least;
      for (Retained each : intervals) {
        least = least.min(each.amount());
        most = most.max(each.amount());
      }
    }

    Retained extreme(boolean greatest) {
      for (Retained each : intervals) {
        if (each.amount().compareTo(greatest ? most : least) == 0) {
          return each;
        }
      }
      throw new IllegalStateException("a row has its least and its greatest amount");
    }

    /** Whether cuts of such rows are a lattice. */
    boolean isChain() {
      return queue.isDisjoint() && queue.isAscending();
    }
  }

  /** One search, with {@code fixed}. */
  private final class Attempt {
    private final Goal goal;
    // Those that are fixed, then one of each other term.
    private final Retained[] clique = new Retained[queues.length];
    private final int fixedCount;
    private final BigDecimal fixedSum;
    // Of each term that is not fixed, its rows, and the one that is chosen.
    private final List<List<Row>> terms = new ArrayList<>();
    private final Row[] chosen;
    // Of the terms from each place on, their least and greatest values added up.
    private final BigDecimal[] restLeast;
    private final BigDecimal[] restMost;
    private final Budget.Steps steps = shared == null ? budget.search() : shared;

    Attempt(Goal goal, Retained... fixed) {
      this.goal = goal;
      this.fixedCount = fixed.length;
      System.arraycopy(fixed, 0, clique, 0, fixedCount);
      BigDecimal sum = BigDecimal.ZERO;
      for (Retained each : fixed) {
        sum = sum.add(each.amount());
      }
      this.fixedSum = sum;
      for (TermQueues term : queues) {
        if (!isFixed(term)) {
          terms.add(rows(term, fixed));
        }
      }
      this.chosen = new Row[terms.size()];
      this.restLeast = new BigDecimal[chosen.length + 1];
      this.restMost = new BigDecimal[chosen.length + 1];
    }

    private boolean isFixed(TermQueues term) {
      for (int i = 0; i < fixedCount; i++) {
        if (clique[i].term() == term.term()) {
          return true;
        }
      }
      return false;
    }

    /** What was found, in the order of terms. */
    Retained[] clique() {
      Retained[] ordered = clique.clone();
      Arrays.sort(ordered, Comparator.comparingInt(Retained::term));
      return ordered;
    }

    private List<Row> rows(TermQueues term, Retained[] fixed) {
      List<Row> rows = new ArrayList<>();
      for (IntervalQueue queue : term.held()) {
        List<Retained> fitting = new ArrayList<>();
        for (Lane lane = new Lane(queue, 0, fixed, horizon, goal);
            !lane.isExhausted();
            lane.next()) {
          fitting.add(lane.head());
        }
        if (!fitting.isEmpty()) {
          rows.add(new Row(queue, fitting));
        }
      }
      return rows;
    }

    void countIfCut() {
      if (shared == null && steps.areSpent()) {
        budget.countCut();
      }
    }

    /** Adds up intervals of all rows to the limit, until {@code isLast}. */
    boolean addUp(BooleanSupplier isLast) {
      if (!addUpRows() || !rule.mayHold(restLeast[0].add(fixedSum), restMost[0].add(fixedSum))) {
        return false;
      }
      Intervals intervals = new Intervals(terms, goal.grade());
      return EqualSum.search(
          intervals,
          rule.limit().value().subtract(fixedSum),
          steps,
          choice -> {
            for (int term = 0; term < choice.length; term++) {
              clique[fixedCount + term] = intervals.get(term, choice[term]);
            }
            return isLast.getAsBoolean();
          });
    }

    /** Whether each term has a row; then bounds are known of all that is to be chosen. */
    private boolean addUpRows() {
      restLeast[chosen.length] = BigDecimal.ZERO;
      restMost[chosen.length] = BigDecimal.ZERO;
      for (int i = chosen.length - 1; i >= 0; i--) {
        if (terms.get(i).isEmpty()) {
          return false;
        }
        restLeast[i] = restLeast[i + 1].add(least(terms.get(i)));
        restMost[i] = restMost[i + 1].add(most(terms.get(i)));
      }
      return true;
    }

    /** Chooses a row for each term, until {@code isLast}. */
    boolean choose(BooleanSupplier isLast) {
      return addUpRows() && choose(0, fixedSum, fixedSum, isLast);
    }

    /** {@code least} and {@code most} are of what is fixed, and of the rows chosen so far. */
    private boolean choose(int depth, BigDecimal least, BigDecimal most, BooleanSupplier isLast) {
      if (!rule.mayHold(least.add(restLeast[depth]), most.add(restMost[depth]))) {
        return false;
      }
      if (depth == chosen.length) {
        return isLast.getAsBoolean();
      }
      for (Row row : terms.get(depth)) {
        chosen[depth] = row;
        if (choose(depth + 1, least.add(row.least), most.add(row.most), isLast)) {
          return true;
        }
        if (!steps.take()) {
          return false;
        }
      }
      return false;
    }

    /** Whether the chosen rows hold a clique; then it is in {@link #clique}. */
    boolean solve() {
      for (Row row : chosen) {
        if (!row.isChain()) {
          return walk(() -> true);
        }
      }
      return (rule.holdsBelow() && solveByCut(false)) || (rule.holdsAbove() && solveByCut(true));
    }

    /** By the cut with the least sum; {@code greatest}: with the greatest. */
    private boolean solveByCut(boolean greatest) {
      BigDecimal extreme = fixedSum;
      for (int i = 0; i < chosen.length; i++) {
        steps.take(chosen[i].intervals.size());
        clique[fixedCount + i] = chosen[i].extreme(greatest);
        extreme = extreme.add(clique[fixedCount + i].amount());
      }
      if (!rule.holds(extreme)) {
        return false;
      }
      if (isClique()) {
        return true;
      }
      int[] cut = LeastSum.cut(new Chosen(chosen, goal.grade(), greatest));
      if (cut == null) {
        return false;
      }
      BigDecimal sum = fixedSum;
      for (int i = 0; i < cut.length; i++) {
        Retained interval = chosen[i].intervals.get(cut[i]);
        clique[fixedCount + i] = interval;
        sum = sum.add(interval.amount());
      }
      if (!rule.holds(sum)) {
        return false;
      }
      // Ends that may still move back need not rise with the starts: then cuts are no lattice.
      return isClique() || walk(() -> true);
    }

    private boolean isClique() {
      return new Concurrent(horizon, clique).areCertain(goal.grade());
    }

    /** Tries every interval of the chosen rows, until {@code isLast}. */
    boolean walk(BooleanSupplier isLast) {
      for (int i = chosen.length - 1; i >= 0; i--) {
        restLeast[i] = restLeast[i + 1].add(chosen[i].least);
        restMost[i] = restMost[i + 1].add(chosen[i].most);
      }
      boolean found = walk(0, fixedSum, isLast);
      addUpRows();
      return found;
    }

    /** {@code sum} is of what is fixed, and of what was tried so far. */
    private boolean walk(int depth, BigDecimal sum, BooleanSupplier isLast) {
      if (depth == chosen.length) {
        return isLast.getAsBoolean();
      }
      for (Retained interval : chosen[depth].intervals) {
        // What many were chosen before is compared with each of them.
        steps.take(depth / COMPARED_IN_A_STEP);
        if (!steps.take()) {
          return false;
        }
        clique[fixedCount + depth] = interval;
        BigDecimal now = sum.add(interval.amount());
        if (rule.mayHold(now.add(restLeast[depth + 1]), now.add(restMost[depth + 1]))
            && fits(depth)
            && walk(depth + 1, now, isLast)) {
          return true;
        }
      }
      return false;
    }

    /** Whether what was tried at {@code depth} goes with what was before it. */
    private boolean fits(int depth) {
      Retained interval = clique[fixedCount + depth];
      for (int i = 0; i < depth; i++) {
        Retained other = clique[fixedCount + i];
        if (!horizon.isCertain(interval, other, goal.grade())) {
          return false;
        }
      }
      return true;
    }
  }

  private static BigDecimal least(List<Row> rows) {
    BigDecimal least = rows.get(0).least;
    for (Row row : rows) {
      least = least.min(row.least);
    }
    return least;
  }

  private static BigDecimal most(List<Row> rows) {
    BigDecimal most = rows.get(0).most;
    for (Row row : rows) {
      most = most.max(row.most);
    }
    return most;
  }

  /** The intervals of all rows of each term. */
  private final class Intervals implements EqualSum.Choices {
    private final List<List<Retained>> ofTerm = new ArrayList<>();
    private final Grade grade;

    Intervals(List<List<Row>> terms, Grade grade) {
      this.grade = grade;
      for (List<Row> rows : terms) {
        List<Retained> intervals = new ArrayList<>();
        rows.forEach(row -> intervals.addAll(row.intervals));
        ofTerm.add(intervals);
      }
    }

    Retained get(int term, int choice) {
      return ofTerm.get(term).get(choice);
    }

    @Override
    public int terms() {
      return ofTerm.size();
    }

    @Override
    public int size(int term) {
      return ofTerm.get(term).size();
    }

    @Override
    public BigDecimal amount(int term, int choice) {
      return get(term, choice).amount();
    }

    @Override
    public boolean fit(int term, int choice, int other, int otherChoice) {
      return horizon.isCertain(get(term, choice), get(other, otherChoice), grade);
    }
  }

  /** Rows as chains; {@code negated} for the greatest sum. */
  private final class Chosen implements LeastSum.Chains {
    private final Row[] rows;
    private final Grade grade;
    private final boolean negated;

    Chosen(Row[] rows, Grade grade, boolean negated) {
      this.rows = rows;
      this.grade = grade;
      this.negated = negated;
    }

    @Override
    public int chains() {
      return rows.length;
    }

    @Override
    public int size(int chain) {
      return rows[chain].intervals.size();
    }

    @Override
    public BigDecimal weight(int chain, int state) {
      BigDecimal amount = rows[chain].intervals.get(state).amount();
      return negated ? amount.negate() : amount;
    }

    @Override
    public boolean isTooEarly(int chain, int state, int other, int laterState) {
      return horizon.mayEndTooEarly(
          rows[chain].intervals.get(state), rows[other].intervals.get(laterState), grade);
    }

    @Override
    public void look() {
      budget.look();
    }
  }
}
