package io.palinode.detection;

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
 * <p>Invariant, after {@link #judge} was called for each change: every retained interval that is in
 * a clique (one interval of each term, pairwise certain to be concurrent) was named by a report.
 * Reports are cliques, hence sound; the invariant makes them covering. A report always names an
 * interval for the first time, hence no two reports name the same set.
 *
 * <p>A change is a new interval, an end, or a pair of intervals that became certain; it is named by
 * an interval that is in every clique that the change can have made. If that interval is in no
 * clique at all, nothing else changed: with nothing violated, a change costs one search.
 */
final class ConjunctiveClause {
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

  /** Whether an interval of the term is retained, at whatever node. */
  boolean holds(int term) {
    for (IntervalQueue queue : queues[term]) {
      if (queue.size() > 0) {
        return true;
      }
    }
    return false;
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

  /** Reports what a change of {@code changed} completes. */
  List<Finding> judge(Retained changed) {
    List<Finding> reports = new ArrayList<>();
    if (!changed.isNamed()) {
      Retained[] clique = search.complete(changed);
      if (clique == null) {
        return reports;
      }
      reports.add(report(clique));
    }
    for (int term = 0; term < queues.length; term++) {
      for (IntervalQueue queue : queues[term]) {
        if (term != changed.term() && queue.hasUnnamed()) {
          cover(Lane.of(queue, new Retained[] {changed}, horizon), changed, reports);
        }
      }
    }
    return reports;
  }

  /** Reports the unnamed ones of {@code lane} that are in a clique with {@code changed}. */
  private void cover(Lane lane, Retained changed, List<Finding> reports) {
    for (; !lane.isExhausted(); lane.next()) {
      if (!lane.head().isNamed()) {
        Retained[] clique = search.complete(changed, lane.head());
        if (clique != null) {
          reports.add(report(clique));
        }
      }
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

  private Finding report(Retained[] clique) {
    for (Retained interval : clique) {
      queueOf(interval).name(interval);
    }
    return Finding.of(clause, List.of(clique), horizon::grade);
  }
}
