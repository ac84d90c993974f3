package io.palinode.detection;

/**
 * How often each of the {@link DetectionLimits} was met.
 *
 * @param intervals that were dropped unjudged
 * @param reports that could not be followed
 * @param searches that were cut short
 * @param triggers of {@code within} that were not judged since an answer may have been missed
 */
public record Overflows(long intervals, long reports, long searches, long triggers) {
  public static final Overflows NONE = new Overflows(0, 0, 0);

  /** Of a predicate without {@code within}. */
  public Overflows(long intervals, long reports, long searches) {
    this(intervals, reports, searches, 0);
  }

  public long total() {
    return intervals + reports + searches + triggers;
  }

  /** What came to it since {@code earlier}. */
  public Overflows since(Overflows earlier) {
    return new Overflows(
        intervals - earlier.intervals,
        reports - earlier.reports,
        searches - earlier.searches,
        triggers - earlier.triggers);
  }
}
