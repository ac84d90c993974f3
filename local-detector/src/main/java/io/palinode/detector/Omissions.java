package io.palinode.detector;

import io.palinode.detector.binding.StoreKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Intervals and key states that a detector must find again: it lacked room for them, a write was
 * missed, or a bug occurred. Guarded by the order of writes.
 */
final class Omissions {
  /** The pace of gaps for refused intervals; shorter than the monitor's hold. */
  private static final long GAP_EVERY_MICROS = 10_000_000;

  /** The extent of a scan for omissions. */
  enum Search {
    NONE,
    INTERVALS,
    INTERVALS_AND_STATES
  }

  private final int statesMax;

  /** Whether no interval was omitted since the reset. */
  private boolean complete;

  /** Whether an interval is omitted, and no scan has begun since. */
  private boolean intervals;

  /** Whether a scan for omitted intervals is in progress. */
  private boolean searching;

  /** Whether an interval is omitted that only the next reset looks for. */
  private boolean untilReset;

  /** Whether the state of an unknown key is omitted, and no scan has begun since. */
  private boolean anyStates;

  /** Known keys whose state is omitted, the oldest first. */
  private final Set<StoreKey> states = new LinkedHashSet<>();

  private long gapMicros = -GAP_EVERY_MICROS;

  Omissions(int statesMax) {
    this.statesMax = statesMax;
  }

  void clear() {
    complete = true;
    intervals = false;
    searching = false;
    untilReset = false;
    anyStates = false;
    states.clear();
  }

  /** Whether no interval was omitted since the reset. */
  boolean isComplete() {
    return complete;
  }

  /** Whether each interval that holds is open: none is omitted, or a scan has found it since. */
  boolean hasAllIntervals() {
    return !intervals && !searching && !untilReset;
  }

  boolean hasStates() {
    return !states.isEmpty();
  }

  /** Some interval that holds may be closed; the next reset scans for it. */
  void addUntilReset() {
    complete = false;
    untilReset = true;
  }

  void addInterval() {
    complete = false;
    intervals = true;
  }

  void addAnyState() {
    anyStates = true;
  }

  /** If there are too many, a scan finds the state. */
  void addState(StoreKey key) {
    if (states.size() < statesMax) {
      states.add(key);
    } else {
      anyStates = true;
      intervals = true;
    }
  }

  /** Removes and returns the known keys. */
  List<StoreKey> takeStates() {
    List<StoreKey> taken = List.copyOf(states);
    states.clear();
    return taken;
  }

  /**
   * The scan that is due.
   *
   * @param hasRoom whether more intervals may open
   */
  Search due(boolean hasRoom) {
    if (anyStates) {
      return Search.INTERVALS_AND_STATES;
    }
    return intervals && hasRoom ? Search.INTERVALS : Search.NONE;
  }

  /** The scan begins: whatever is refused during the scan is added again. */
  void begin(Search search) {
    if (search != Search.NONE) {
      intervals = false;
      searching = true;
      anyStates = false;
    }
  }

  /** The scan has opened all that it found and that had room. */
  void ended() {
    searching = false;
  }

  /** The scan failed and is due again. */
  void failed(Search search) {
    searching = false;
    intervals = true;
    anyStates |= search == Search.INTERVALS_AND_STATES;
  }

  /** Whether a gap is due for omitted intervals. Starts the next wait if so. */
  boolean takeGapDue(long nowMicros) {
    boolean isDue = intervals && nowMicros - gapMicros >= GAP_EVERY_MICROS;
    if (isDue) {
      gapMicros = nowMicros;
    }
    return isDue;
  }
}
