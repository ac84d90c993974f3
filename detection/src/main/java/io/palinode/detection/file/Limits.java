package io.palinode.detection.file;

import java.nio.file.Path;

/**
 * How much memory a run takes, and how many steps.
 *
 * @param heapBytes that it may use in all
 * @param retainedMax intervals that may be kept of an instance because they overlap or are open; 0:
 *     what fits
 * @param searchStepsMax of one search; of further ones, when many were stopped, less
 * @param folder for what does not fit
 */
public record Limits(long heapBytes, int retainedMax, long searchStepsMax, Path folder) {
  private static final long SORTED_SHARE = 4;
  private static final long SORTED_BYTES_MIN = 1 << 18;
  private static final long KEPT_SHARE = 8;
  private static final long RETAINED_SHARE = 4;
  private static final long RETAINED_MORE_BYTES = 400;
  private static final int MIN = 1_000;
  private static final int MAX = 4_000_000;

  /** Of memory, while candidates are sorted. */
  long sortedBytes() {
    return Math.max(SORTED_BYTES_MIN, heapBytes / SORTED_SHARE);
  }

  /** Candidates of one instance in memory, with clocks of {@code nodes} entries. */
  int kept(int nodes) {
    return bounded(heapBytes / KEPT_SHARE / Entry.heapBytes(nodes));
  }

  int retained(int nodes) {
    return retainedMax > 0
        ? retainedMax
        : bounded(heapBytes / RETAINED_SHARE / (Entry.heapBytes(nodes) + RETAINED_MORE_BYTES));
  }

  private static int bounded(long count) {
    return (int) Math.max(MIN, Math.min(MAX, count));
  }
}
