package io.palinode.retroscope.snapshot;

import io.palinode.hvc.PointInTime;
import io.palinode.retroscope.snapshot.file.HalfUndoneException;
import java.util.ArrayList;
import java.util.List;

/**
 * The times at which a store was half undone: from where the first node of the cluster stood still
 * for a rollback up to the start of the new epoch, some nodes are on this side of the undo and some
 * on the other. A cut there is consistent by its clock, and yet a state that never was.
 *
 * @param spans in order, apart from each other
 */
public record RollbackTimes(List<Span> spans) {
  public static final RollbackTimes NONE = new RollbackTimes(List.of());

  /** The two oldest of more become one, in which the time between them cannot be read either. */
  static final int SPANS_MAX = 1_024;

  /** The end of a rollback that has not ended. */
  public static final long NOT_ENDED = Long.MAX_VALUE;

  public RollbackTimes {
    spans = List.copyOf(spans);
  }

  /**
   * One rollback.
   *
   * @param epoch the epoch that it opened, or is to open
   * @param after the last time before it, at which the store is whole
   * @param before the first time after it; {@link #NOT_ENDED}
   */
  public record Span(long epoch, long after, long before) {
    boolean holds(long hlc) {
      return after < hlc && hlc < before;
    }

    private Span joined(Span next) {
      return new Span(next.epoch, after, next.before);
    }
  }

  /**
   * With a rollback that is the latest: it undoes nothing before the one before it is over, also
   * when a node that was away had stood still since.
   */
  public RollbackTimes with(Span latest) {
    List<Span> more = new ArrayList<>(spans);
    long over = spans.isEmpty() ? 0 : spans.get(spans.size() - 1).before;
    more.add(new Span(latest.epoch, Math.max(over, latest.after), latest.before));
    if (more.size() > SPANS_MAX) {
      more.set(1, more.get(0).joined(more.get(1)));
      more.remove(0);
    }
    return new RollbackTimes(more);
  }

  /**
   * Throws {@link HalfUndoneException} for a time at which the store was half undone. O(rollbacks).
   */
  public void requireWhole(long hlc) {
    for (Span span : spans) {
      if (span.holds(hlc)) {
        throw new HalfUndoneException(message(hlc, span));
      }
    }
  }

  private static String message(long hlc, Span span) {
    String then =
        span.before == NOT_ENDED
            ? "and the rollback has not ended"
            : "and from %s on".formatted(PointInTime.format(span.before));
    return "at time %s the store was half undone, by the rollback to epoch %d: it can be read up to %s, %s"
        .formatted(PointInTime.format(hlc), span.epoch, PointInTime.format(span.after), then);
  }
}
