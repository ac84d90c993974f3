package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.Diff;
import io.palinode.retroscope.Walk;
import io.palinode.retroscope.snapshot.file.Entry;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Collects the records that changing keys had at a time, while they continue to change. It is
 * extended often, so that the window-log need not reach back to the time for as long as a whole
 * store takes to be read. For one thread.
 */
final class Overlay {
  static final Comparator<byte[]> UNSIGNED = Arrays::compareUnsigned;

  private final History history;
  private final List<String> stores;
  private final Sink sink;
  private final Runnable afterStep;
  private final long hlc;

  /** One for each store; none before the first extension. */
  private List<Walk> walks = List.of();

  /** Takes what is found; of a key that comes twice, the first counts. */
  @FunctionalInterface
  interface Sink {
    /**
     * @param store its place among the stores
     */
    void add(int store, Entry old);
  }

  /**
   * @param afterStep called now and then while no memory of the window-log is held; may throw
   */
  Overlay(History history, List<String> stores, long hlc, Sink sink, Runnable afterStep) {
    this.history = history;
    this.stores = stores;
    this.hlc = hlc;
    this.sink = sink;
    this.afterStep = afterStep;
  }

  /**
   * Adds what has changed up to now. Throws {@link io.palinode.retroscope.OutOfReachException} when
   * the window-log does not reach back to the last extension (first, to the time itself).
   */
  void extend() {
    extendTo(history.settle(hlc));
  }

  /** Adds what has changed up to a time that was settled. */
  void extendTo(long to) {
    if (walks.isEmpty()) {
      walks = stores.stream().map(store -> new Walk(hlc, to)).toList();
    }
    // A stop is noticed though nothing has changed.
    afterStep.run();
    for (int i = leastFar(); i >= 0 && walks.get(i).upTo() < to; i = leastFar()) {
      add(i, to);
      afterStep.run();
    }
  }

  /** The store whose past is collected least far; -1: there is none. */
  private int leastFar() {
    int least = walks.isEmpty() ? -1 : 0;
    for (int i = 1; i < walks.size(); i++) {
      least = walks.get(i).upTo() < walks.get(least).upTo() ? i : least;
    }
    return least;
  }

  private void add(int store, long to) {
    try (Diff diff = walks.get(store).next(history.past(stores.get(store)), to)) {
      diff.forEach((key, old) -> sink.add(store, new Entry(key, old)));
    }
  }
}
