package io.palinode.detection;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One clause of a violation, with a queue for each term at each node.
 *
 * <p>A <em>clique of a grade</em> is one interval of each term, pairwise certain to be concurrent
 * with at least the grade. Invariant, after {@link #judge} was called for each change, for each
 * grade: every retained interval that is in a clique of the grade was named by a report of at least
 * the grade, and by one that begins ({@link Witness#violate}) no later than any of these cliques.
 * Reports are cliques, hence sound; the invariant makes them covering. A report always improves
 * what some interval has, for some grade; reports whose grade rose have named their intervals anew
 * ({@link #name}) before anything is judged. Hence no two reports name the same set.
 *
 * <p>A change is a new interval, an end, or a pair of intervals that became certain for a grade; it
 * is named by an interval that is in every clique that the change can have made. If that interval
 * is in no clique at all, nothing else changed: with nothing violated, a change costs one search.
 * If it is in one, others are searched with it only if they can still be improved on: if they are
 * not named for the grade, or for something later than what it has and than their own start.
 */
final class ConjunctiveClause {
  private static final List<Grade> FALLING =
      List.of(Grade.DEFINITE, Grade.POSSIBLE, Grade.UNCERTAIN);

  private final int clause;
  private final IntervalQueue[][] queues;
  private final Horizon horizon;
  private final CliqueSearch search;

  ConjunctiveClause(int clause, int terms, int nodes, Horizon horizon, long stepsMax) {
    this.clause = clause;
    this.horizon = horizon;
    this.queues = new IntervalQueue[terms][nodes];
    for (IntervalQueue[] row : queues) {
      Arrays.setAll(row, node -> new IntervalQueue());
    }
    this.search = new CliqueSearch(queues, horizon, stepsMax);
  }

  int terms() {
    return queues.length;
  }

  IntervalQueue queue(int term, int node) {
    return queues[term][node];
  }

  private IntervalQueue queueOf(Retained interval) {
    return queues[interval.term()][interval.node()];
  }

  void add(Retained interval) {
    queueOf(interval).add(interval);
  }

  void close(Retained interval, Hvc end) {
    queueOf(interval).closing(interval, end.owner() != interval.node());
    interval.closeAt(end);
  }

  /** The newest retained interval of the term that the version opened, at whatever node. */
  @Nullable Retained find(int term, String version) {
    for (IntervalQueue queue : queues[term]) {
      for (int i = queue.size() - 1; i >= 0; i--) {
        if (queue.get(i).candidate().version().equals(version)) {
          return queue.get(i);
        }
      }
    }
    return null;
  }

  /** In the order of terms, nodes and starts. */
  void forEach(Consumer<Retained> action) {
    forEachQueue(
        queue -> {
          for (int i = 0; i < queue.size(); i++) {
            action.accept(queue.get(i));
          }
        });
  }

  int size() {
    int size = 0;
    for (IntervalQueue[] row : queues) {
      for (IntervalQueue queue : row) {
        size += queue.size();
      }
    }
    return size;
  }

  /** How many searches were stopped before their end: what they would have found is not known. */
  long searchesCut() {
    return search.cut();
  }

  /**
   * Reports what a change of {@code changed} completes, if it made pairs certain for {@code from}
   * and higher grades.
   */
  List<Finding> judge(Retained changed, Grade from) {
    List<Finding> reports = new ArrayList<>();
    if (!isInClique(changed, from)) {
      return reports;
    }
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
      case UNCERTAIN ->
          changed.isNamed(Grade.UNCERTAIN)
              || search.complete(new Goal(Grade.UNCERTAIN, Long.MAX_VALUE), changed) != null;
      case POSSIBLE -> changed.isNamed(Grade.UNCERTAIN);
      case DEFINITE -> changed.isNamed(Grade.POSSIBLE);
    };
  }

  /** Reports the earliest clique with {@code fixed} that improves what {@code interval} has. */
  private void improve(Retained interval, Grade grade, List<Finding> reports, Retained... fixed) {
    Retained[] clique = search.earliest(new Goal(grade, interval.earliest(grade) - 1), fixed);
    if (clique != null) {
      Finding report = Finding.of(clause, List.of(clique), horizon::grade);
      name(report);
      reports.add(report);
    }
  }

  private void improveOthers(Retained changed, Grade grade, List<Finding> reports) {
    for (int term = 0; term < queues.length; term++) {
      for (IntervalQueue queue : queues[term]) {
        if (term != changed.term() && queue.mayImprove(grade, changed.earliest(grade))) {
          Goal any = new Goal(grade, Long.MAX_VALUE);
          improveOthers(
              Lane.of(queue, new Retained[] {changed}, horizon, any), changed, grade, reports);
        }
      }
    }
  }

  private void improveOthers(Lane lane, Retained changed, Grade grade, List<Finding> reports) {
    for (; !lane.isExhausted(); lane.next()) {
      Retained other = lane.head();
      // No clique with the changed one begins before the earliest that it is in.
      if (changed.earliest(grade) < other.earliest(grade)) {
        improve(other, grade, reports, changed, other);
      }
    }
  }

  /** A report names its intervals; again when its grade rose. */
  void name(Finding report) {
    long violate = Finding.violate(report.intervals());
    for (Retained interval : report.intervals()) {
      queueOf(interval).name(interval, report.grade(), violate);
    }
  }

  /** Passes every witness that {@code newest} completes on. Names nothing. */
  void enumerate(Retained newest, Consumer<Witness> witnesses) {
    search.all(
        newest,
        clique -> witnesses.accept(Finding.of(clause, List.of(clique), horizon::grade).witness()));
  }

  /** Drops heads that are {@code useless}. */
  void dropHeads(Predicate<Retained> useless) {
    forEachQueue(queue -> queue.dropHeads(useless));
  }

  /** Drops all that are {@code useless}. O(retained). */
  void dropAll(Predicate<Retained> useless) {
    forEachQueue(queue -> queue.dropAll(useless));
  }

  /**
   * Drops the oldest interval of the longest queue, a closed one if there is one, and returns it;
   * null if there is none at all.
   */
  @Nullable Retained evict() {
    IntervalQueue longest = queues[0][0];
    for (IntervalQueue[] row : queues) {
      for (IntervalQueue queue : row) {
        longest = queue.size() > longest.size() ? queue : longest;
      }
    }
    return longest.evict();
  }

  private void forEachQueue(Consumer<IntervalQueue> action) {
    for (IntervalQueue[] row : queues) {
      for (IntervalQueue queue : row) {
        action.accept(queue);
      }
    }
  }
}
