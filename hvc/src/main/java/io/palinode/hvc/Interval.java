package io.palinode.hvc;

import org.jspecify.annotations.Nullable;

/**
 * The span in which a local predicate held: {@code start} right after the write that made it true,
 * {@code end} right before the next relevant write; {@code end} is null while it is open. Start and
 * end were read at nodes, which differ only when the intervals of replicas were joined into one.
 */
public record Interval(Hvc start, @Nullable Hvc end) {
  public Interval {
    if (start.owner() == Hvc.NO_OWNER || (end != null && end.owner() == Hvc.NO_OWNER)) {
      throw new IllegalArgumentException(
          "an interval starts and ends at a node: start=" + start + " end=" + end);
    }
    if (end != null && end.owner() == start.owner() && end.own() < start.own()) {
      throw new IllegalArgumentException(
          "an interval must not end before it starts: start=" + start + " end=" + end);
    }
  }

  public int node() {
    return start.owner();
  }

  public boolean isOpen() {
    return end == null;
  }

  public Interval closedAt(Hvc newEnd) {
    return new Interval(start, newEnd);
  }
}
