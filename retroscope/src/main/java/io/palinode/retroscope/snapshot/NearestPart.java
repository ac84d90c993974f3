package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.Diff;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the part from which the store at another time is had with the least work. */
final class NearestPart {
  /** A key that has changed costs about as much as so many that are read in their order. */
  private static final int KEYS_PER_CHANGE = 4;

  private final History history;
  private final long hlc;

  NearestPart(History history, long hlc) {
    this.history = history;
    this.hlc = hlc;
  }

  /**
   * Null when none is cheaper than to read all keys. O(changes since the nearest one before the
   * time, and since the nearest one behind it).
   */
  @Nullable Part of(List<Part> parts) {
    Part cheapest = null;
    long least = Long.MAX_VALUE;
    for (boolean isEarlier : new boolean[] {true, false}) {
      Part nearest = nearest(parts, isEarlier);
      long changes = nearest == null ? Long.MAX_VALUE : changesTo(nearest.hlc());
      if (nearest != null && changes < least && changes <= nearest.keys() / KEYS_PER_CHANGE) {
        cheapest = nearest;
        least = changes;
      }
    }
    return cheapest;
  }

  /** Of those that are in reach exactly, and that are laid over nothing. */
  private @Nullable Part nearest(List<Part> parts, boolean isEarlier) {
    long reach =
        history.stores().stream().mapToLong(s -> history.past(s).exactReach()).max().orElse(0);
    Part nearest = null;
    for (Part part : parts) {
      boolean fits =
          part.base().isNone()
              && part.stores().equals(history.stores())
              && Math.min(part.hlc(), hlc) >= reach
              && isEarlier == part.hlc() <= hlc;
      if (fits && (nearest == null || distance(part) < distance(nearest))) {
        nearest = part;
      }
    }
    return nearest;
  }

  private long distance(Part part) {
    return Math.abs(part.hlc() - hlc);
  }

  private long changesTo(long other) {
    long changes = 0;
    for (String store : history.stores()) {
      try (Diff diff =
          history.past(store).diffBetween(Math.min(hlc, other), Math.max(hlc, other))) {
        changes += diff.size();
      }
    }
    return changes;
  }
}
