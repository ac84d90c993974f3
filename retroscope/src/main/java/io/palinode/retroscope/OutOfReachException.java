package io.palinode.retroscope;

import io.palinode.hvc.PointInTime;
import java.io.Serial;

/**
 * A time that the window-log no longer, or not yet, reaches; the message names the reachable range.
 */
public final class OutOfReachException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public OutOfReachException(long target, long from, long to) {
    super(
        "time %s is out of reach: the window-log reaches from %s to %s"
            .formatted(
                PointInTime.format(target), PointInTime.format(from), PointInTime.format(to)));
  }

  private OutOfReachException(String message) {
    super(message);
  }

  /**
   * A time that is in the range, but was compacted away.
   *
   * @param before the last time before it that can be reached
   * @param exactFrom from here on every time can
   */
  public static OutOfReachException compacted(long target, long before, long exactFrom) {
    return new OutOfReachException(
        "time %s is out of reach: the window-log was compacted there; it reaches %s, the last time before, and every time from %s on"
            .formatted(
                PointInTime.format(target),
                PointInTime.format(before),
                PointInTime.format(exactFrom)));
  }

  /** A store lost records after {@code target} without a change in its window-log. */
  public static OutOfReachException lost(long target, String why) {
    return new OutOfReachException(
        "time %s is out of reach: %s".formatted(PointInTime.format(target), why));
  }

  /** Not every change since {@code target} is there any more. */
  public static OutOfReachException incomplete(long target, long exactFrom) {
    return new OutOfReachException(
        "the changes since %s are not all there any more: the window-log was compacted; from %s on all are"
            .formatted(PointInTime.format(target), PointInTime.format(exactFrom)));
  }
}
