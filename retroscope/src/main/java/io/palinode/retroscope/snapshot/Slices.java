package io.palinode.retroscope.snapshot;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.WindowLog;
import java.util.List;

/**
 * A stretch of time, in slices in which changes are looked for one after the other: a difference
 * holds the window-log's memory, and rewriting up. For one thread.
 */
final class Slices {
  private static final int COUNT_MAX = 64;
  private static final long LENGTH_HLC_MIN = Hlc.ofMicros(250_000);

  private final History history;
  private final List<String> stores;
  private final long to;
  private final long length;

  Slices(History history, List<String> stores, long from, long to) {
    this.history = history;
    this.stores = stores;
    this.to = to;
    this.length = Math.max(LENGTH_HLC_MIN, (to - from) / COUNT_MAX);
  }

  /**
   * Where the slice ends that begins at a time. The next one begins there, so each store reaches
   * it. Throws {@link io.palinode.retroscope.OutOfReachException}.
   */
  long endAfter(long start) {
    for (long some = length; to - start > some; some *= 2) {
      long end = start + some;
      for (String store : stores) {
        WindowLog past = history.past(store);
        // If the start is out of reach, the error names the start.
        var unused = past.floor(start);
        end = Math.min(end, past.floor(end));
      }
      if (end > start && isReached(end)) {
        return end;
      }
    }
    return to;
  }

  private boolean isReached(long hlc) {
    return stores.stream().allMatch(store -> history.past(store).floor(hlc) == hlc);
  }
}
