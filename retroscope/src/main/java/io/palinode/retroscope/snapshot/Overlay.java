package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.Diff;
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
  private final Runnable afterSlice;
  private long upTo;

  /** Takes what is found; of a key that comes twice, the first counts. */
  @FunctionalInterface
  interface Sink {
    /**
     * @param store its place among the stores
     */
    void add(int store, Entry old);
  }

  /**
   * @param afterSlice called now and then while no memory of the window-log is held; may throw
   */
  Overlay(History history, List<String> stores, long hlc, Sink sink, Runnable afterSlice) {
    this.history = history;
    this.stores = stores;
    this.upTo = hlc;
    this.sink = sink;
    this.afterSlice = afterSlice;
  }

  /**
   * Adds what has changed up to now. Throws {@link io.palinode.retroscope.OutOfReachException} when
   * the window-log does not reach back to the last extension (first, to the time itself).
   */
  void extend() {
    extendTo(history.settle(upTo));
  }

  /** Adds what has changed up to a time that was settled. */
  void extendTo(long hlc) {
    Slices slices = new Slices(history, stores, upTo, hlc);
    boolean more = true;
    while (more) {
      long end = slices.endAfter(upTo);
      for (int store = 0; store < stores.size(); store++) {
        addBetween(store, upTo, end);
      }
      upTo = end;
      more = upTo < hlc;
      afterSlice.run();
    }
  }

  private void addBetween(int store, long start, long end) {
    try (Diff diff = history.past(stores.get(store)).diffBetween(start, end)) {
      diff.forEach((key, old) -> sink.add(store, new Entry(key, old)));
    }
  }
}
