package io.palinode.examples.graph.run;

import java.util.ArrayList;
import java.util.List;

/**
 * The finished tasks of one client, in order. A task stands as long as its last write was accepted
 * at or before the target of every rollback.
 */
final class Journal {
  static final int TASKS_MAX = 10_000_000;

  private final List<Finished> finished = new ArrayList<>();
  private long operations;

  /**
   * @param acceptedAt the greatest HLC of the task's writes
   * @param operations gets and puts that it took
   */
  void add(long acceptedAt, long operations) {
    finished.add(new Finished(Math.max(acceptedAt, lastAcceptedAt()), operations));
    this.operations += operations;
  }

  int size() {
    return finished.size();
  }

  /** Of the tasks in the journal. */
  long operations() {
    return operations;
  }

  /** Nothing that the tasks wrote is later; 0 when there is none. */
  long lastAcceptedAt() {
    return finished.isEmpty() ? 0 : finished.get(finished.size() - 1).acceptedAt();
  }

  /** Forgets the tasks that do not stand; returns the operations that they had taken. */
  long undoAfter(long target) {
    long undone = 0;
    while (lastAcceptedAt() > target) {
      undone += finished.remove(finished.size() - 1).operations();
    }
    operations -= undone;
    return undone;
  }

  private record Finished(long acceptedAt, long operations) {}
}
