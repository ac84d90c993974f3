package io.palinode.detection.search;

import io.palinode.detection.Candidate;
import io.palinode.detection.Witness;
import io.palinode.detection.search.Search.Goal;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One clause of a violation, with a queue for each term at each node. With {@code distinct}, what
 * is said of terms holds for the members that have intervals ({@link ClauseQueues}).
 *
 * <p>A <em>clique of a grade</em> is intervals of different terms that are pairwise certain to be
 * concurrent with at least the grade, and that the clause's rule holds of ({@link Search}).
 * Invariant, after {@link #judge} was called for each change, for each grade: every retained
 * interval that is in a clique of the grade was named by a report of at least the grade, and by one
 * that begins ({@link Witness#violate}) no later than any of these cliques. Reports are cliques,
 * hence sound; the invariant makes them covering. A report always improves what some interval has,
 * for some grade; reports whose grade rose have named their intervals again ({@link #name}) before
 * any judgement. Hence no two reports name the same set.
 *
 * <p>A change is a new interval, an end, or a pair of intervals that became certain for a grade; it
 * is named by an interval that is in every clique that the change can have made. If that interval
 * is in no clique at all, nothing else changed: with nothing violated, a change costs one search.
 * If it is in one, others are searched with it only if they can still be improved on: if they are
 * not named for the grade, or for something later than what it has and than their own start.
 */
public final class WatchedClause {
  private static final List<Grade> FALLING =
      List.of(Grade.DEFINITE, Grade.POSSIBLE, Grade.UNCERTAIN);

  private final int clause;
  private final ClauseQueues queues;
  private final boolean distinct;
  private final ClauseRule.@Nullable Sum sum;
  private final int intervalsMax;
  private final Horizon horizon;
  private final Search search;
  private final Budget budget;
  // How many intervals are open, of each node.
  private final int[] open;
  // Of how many terms one is open, of each node.
  private final int[] openTerms;
  // No interval has ended earlier.
  private long leastEnd = Long.MAX_VALUE;
  // The same of each node; null if clocks show what is passed.
  private final long @Nullable [] leastEnds;

  public WatchedClause(int clause, ClauseShape shape, int nodes, Horizon horizon, Budget budget) {
    this.clause = clause;
    this.horizon = horizon;
    this.queues = new ClauseQueues(shape, nodes, horizon.mayEndElsewhere());
    this.distinct = shape.isDistinct();
    this.sum = shape.rule() instanceof ClauseRule.Sum rule ? rule : null;
    this.intervalsMax = shape.intervalsMax();
    this.open = new int[nodes];
    this.openTerms = new int[nodes];
    this.leastEnds = horizon.passesByClocks() ? null : new long[nodes];
    forgetEnds();
    this.budget = budget;
    this.search = search(shape);
  }

  private Search search(ClauseShape shape) {
    if (distinct && sum != null) {
      return new TotalSearch(sum, intervalsMax, queues, horizon, budget);
    }
    if (distinct) {
      return new DistinctSearch(intervalsMax, queues, horizon, budget);
    }
    TermQueues[] ofTerms = new TermQueues[queues.size()];
    Arrays.setAll(ofTerms, queues::get);
    if (sum != null) {
      return new SumSearch(sum, ofTerms, horizon, budget);
    }
    int[] localOf = localOf(shape);
    return shape.rule() instanceof ClauseRule.AtLeast atLeast
        ? new CombinationSearch(atLeast.count(), ofTerms, localOf, horizon, budget)
        : new CliqueSearch(ofTerms, localOf, horizon, budget);
  }

  /** Of each term, the local predicate that it is of. */
  private static int[] localOf(ClauseShape shape) {
    int[] localOf = new int[shape.terms()];
    int term = 0;
    for (int local = 0; local < shape.termsOf().size(); local++) {
      Arrays.fill(localOf, term, term + shape.termsOf().get(local), local);
      term += shape.termsOf().get(local);
    }
    return localOf;
  }

  /** Of the clause; with {@code distinct}, how many members have an interval. */
  public int terms() {
    return queues.size();
  }

  /** The most intervals of a clique. */
  public int intervalsMax() {
    return intervalsMax;
  }

  /** The queue that the interval goes into; it has its {@link Retained#term} from then on. */
  public IntervalQueue queueFor(Retained interval) {
    return queues.queueFor(interval);
  }

  private IntervalQueue queueOf(Retained interval) {
    return queues.get(interval.term()).queue(interval.node());
  }

  public void add(Retained interval) {
    if (sum != null) {
      interval.addTo(sum);
    }
    queues.add(interval);
    Hvc end = interval.end();
    if (end == null) {
      countOpen(interval, 1);
    } else {
      noteEnd(end);
    }
  }

  public void close(Retained interval, Hvc end) {
    if (interval.isOpen()) {
      countOpen(interval, -1);
    }
    noteEnd(end);
    interval.closeAt(end);
    queues.noteEnded(queues.get(interval.term()));
  }

  private void countOpen(Retained interval, int change) {
    int node = interval.node();
    TermQueues of = queues.get(interval.term());
    int before = of.open(node);
    of.countOpen(node, change);
    open[node] += change;
    openTerms[node] += (before + change > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
  }

  private void noteEnd(Hvc end) {
    leastEnd = Math.min(leastEnd, end.own());
    if (leastEnds != null) {
      leastEnds[end.owner()] = Math.min(leastEnds[end.owner()], end.own());
    }
  }

  private void forgetEnds() {
    leastEnd = Long.MAX_VALUE;
    if (leastEnds != null) {
      Arrays.fill(leastEnds, Long.MAX_VALUE);
    }
  }

  /** The retained interval of the candidate's name; null if there is none. */
  public @Nullable Retained find(Candidate candidate) {
    TermQueues of = queues.find(candidate.term(), candidate.member());
    return of == null ? null : of.queue(candidate.id().node()).find(candidate);
  }

  /**
   * The newest retained interval of the candidate's term and member that the version opened, at
   * whatever node.
   */
  public @Nullable Retained find(Candidate candidate, String version) {
    TermQueues of = queues.find(candidate.term(), candidate.member());
    for (IntervalQueue queue : of == null ? List.<IntervalQueue>of() : of.held()) {
      for (int i = queue.size() - 1; i >= 0; i--) {
        if (queue.get(i).version().equals(version)) {
          return queue.get(i);
        }
      }
    }
    return null;
  }

  /** Whether an interval is open at {@code node}. */
  public boolean hasOpen(int node) {
    return open[node] > 0;
  }

  /** Of how many terms an interval is open at {@code node}. */
  public int openTerms(int node) {
    return openTerms[node];
  }

  /** How many intervals of other terms are open at {@code node}. */
  public int openOthers(int term, int node) {
    return open[node] == 0 ? 0 : open[node] - queues.get(term).open(node);
  }

  /** The queues of a term that hold intervals, in the order of nodes. */
  public List<IntervalQueue> held(int term) {
    return queues.get(term).held();
  }

  /** In the order of terms, nodes and starts. */
  public void forEach(Consumer<Retained> action) {
    forEachQueue(
        queue -> {
          for (int i = 0; i < queue.size(); i++) {
            action.accept(queue.get(i));
          }
        });
  }

  public int size() {
    return queues.intervals();
  }

  /** How many searches were stopped before their end: what they would have found is not known. */
  public long searchesCut() {
    return budget.cut();
  }

  /**
   * Reports what a change of {@code changed} completes, if it made pairs certain for {@code from}
   * and higher grades.
   */
  public List<Finding> judge(Retained changed, Grade from) {
    if (!isInClique(changed, from)) {
      return List.of();
    }
    List<Finding> reports = new ArrayList<>();
    // The best first: it may do for the lesser grades as well.
    for (Grade grade : FALLING) {
      if (grade.atLeast(from)) {
        improve(changed, grade, reports, changed);
      }
    }
    for (Grade grade : FALLING) {
      if (grade.atLeast(from) && changed.isNamed(grade)) {
        improveOthers(changed, grade, reports);
      }
    }
    return reports;
  }

  /**
   * Whether the interval is in a clique of whatever grade, or, when nothing changed for the lesser
   * grades, in one of the grade below: all that is was named.
   */
  private boolean isInClique(Retained changed, Grade from) {
    return switch (from) {
      case UNCERTAIN -> changed.isNamed(Grade.UNCERTAIN) || search.isInAny(Goal.ANY, changed);
      case POSSIBLE -> changed.isNamed(Grade.UNCERTAIN);
      case DEFINITE -> changed.isNamed(Grade.POSSIBLE);
    };
  }

  /** Reports the earliest clique with {@code fixed} that improves what {@code interval} has. */
  private void improve(Retained interval, Grade grade, List<Finding> reports, Retained... fixed) {
    Retained[] clique = search.earliest(new Goal(grade, interval.earliest(grade) - 1), fixed);
    if (clique != null) {
      Finding report = finding(clique);
      name(report);
      reports.add(report);
    }
  }

  private Finding finding(Retained[] clique) {
    if (!distinct) {
      return Finding.of(clause, horizon, clique);
    }
    // Indexes of members change with time.
    Retained[] ordered = clique.clone();
    Arrays.sort(ordered, Comparator.comparing(Retained::member));
    return Finding.of(clause, horizon, ordered);
  }

  private void improveOthers(Retained changed, Grade grade, List<Finding> reports) {
    for (int term = 0; term < queues.size(); term++) {
      for (IntervalQueue queue : queues.get(term).held()) {
        if (term != changed.term() && queue.mayImprove(grade, changed.earliest(grade))) {
          improveOthers(queue, changed, grade, reports);
        }
      }
    }
  }

  private void improveOthers(
      IntervalQueue queue, Retained changed, Grade grade, List<Finding> reports) {
    int end = queue.firstTooLate(changed, horizon, grade);
    for (int i = queue.firstNotTooEarly(changed, horizon, grade); i < end; i++) {
      Retained other = queue.get(i);
      // No clique with both begins before the earliest that the changed one is in, nor before the
      // other's start.
      if (Math.max(changed.earliest(grade), other.startOwn()) < other.earliest(grade)
          && horizon.isCertain(other, changed, grade)) {
        improve(other, grade, reports, changed, other);
      }
    }
  }

  /** A report names its intervals; again when its grade rose. */
  public void name(Finding report) {
    long violate = Finding.violate(report.intervals());
    for (Retained interval : report.intervals()) {
      queueOf(interval).name(interval, report.grade(), violate);
    }
  }

  /** Passes every witness that {@code newest} completes on. Names nothing. */
  public void enumerate(Retained newest, Consumer<Witness> witnesses) {
    search.all(newest, clique -> witnesses.accept(finding(clique).witness()));
  }

  /** Drops heads that are {@code useless}. */
  public void dropHeads(Predicate<Retained> useless) {
    drop(queue -> queue.dropHeads(useless));
  }

  /** Drops all that are {@code useless}. O(retained). */
  public void dropAll(Predicate<Retained> useless) {
    drop(queue -> queue.dropAll(useless));
  }

  private void drop(Consumer<IntervalQueue> action) {
    queues.dropOfAll(action);
  }

  /** Drops what is {@code passed} and {@code useless}; what is passed are mostly heads. */
  public void dropPassed(Predicate<Retained> passed, Predicate<Retained> useless) {
    forgetEnds();
    queues.dropOfEnded(
        queue -> {
          queue.dropPassed(passed, useless);
          noteEnds(queue);
        });
  }

  /** Whether an interval may be dropped: one that has ended, and with {@code passing} is passed. */
  public boolean mayDrop(@Nullable Knowledge passing) {
    if (leastEnd == Long.MAX_VALUE || passing == null) {
      return leastEnd < Long.MAX_VALUE;
    }
    return leastEnds == null ? passing.mayBePassed(leastEnd) : passing.mayBePassed(leastEnds);
  }

  private void noteEnds(IntervalQueue queue) {
    for (int i = 0; i < queue.size(); i++) {
      Hvc end = queue.get(i).end();
      if (end != null) {
        noteEnd(end);
        if (queue.isDisjoint()) {
          // The others end later.
          return;
        }
      }
    }
  }

  /**
   * Drops the oldest interval of the longest queue, a closed one if there is one, and returns it;
   * null if there is none at all.
   */
  public @Nullable Retained evict() {
    IntervalQueue longest = null;
    for (int term = 0; term < queues.size(); term++) {
      for (IntervalQueue queue : queues.get(term).held()) {
        longest = longest == null || queue.size() > longest.size() ? queue : longest;
      }
    }
    Retained gone = longest == null ? null : longest.oldest();
    if (gone != null) {
      if (gone.isOpen()) {
        countOpen(gone, -1);
      }
      queues.dropOfAll(queue -> queue.dropAll(interval -> interval == gone));
    }
    return gone;
  }

  /** How many terms have an interval that has ended; maybe more. */
  public int endedTerms() {
    return queues.ended().size();
  }

  /** The queues of one of these terms that hold intervals, in the order of nodes. */
  public List<IntervalQueue> heldOfEnded(int place) {
    return queues.ended().get(place).held();
  }

  /** Those that hold intervals. In the order of terms and nodes. */
  void forEachQueue(Consumer<IntervalQueue> action) {
    for (int term = 0; term < queues.size(); term++) {
      List<IntervalQueue> held = queues.get(term).held();
      for (int i = 0; i < held.size(); i++) {
        action.accept(held.get(i));
      }
    }
  }
}
