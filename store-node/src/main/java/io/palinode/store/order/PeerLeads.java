package io.palinode.store.order;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Upper bounds on how far this node's clock is ahead of each peer's.
 *
 * <p>A message with the peer's time s is received at r by this node's clock. No message arrives
 * before it is sent, so r − s is the message's delay plus the lead of this clock. The least of the
 * last minute is the bound. A bound grows by {@link #DRIFT_PPM} with its age.
 *
 * <p>Guarantee: a bound holds if no clock was set within {@link #KEEP_NANOS}, and the rates of two
 * clocks differ by at most {@link #DRIFT_PPM}. Its excess is the least delay of the last messages.
 * Not thread-safe. O(1) amortized for a message; at most {@link #SAMPLES_MAX} samples a peer.
 */
public final class PeerLeads {
  /** The greatest difference of two crystals. A clock that a time service disciplines is better. */
  public static final long DRIFT_PPM = 100;

  /** After a clock was set, bounds are wrong for at most this time. */
  public static final long KEEP_NANOS = 60_000_000_000L;

  static final int SAMPLES_MAX = 128;

  private static final long NANOS_PER_DRIFT_MICRO = 1_000 * (1_000_000 / DRIFT_PPM);

  /** For each peer, samples in order of their arrival and of their bounds. */
  private final Map<Integer, Deque<Sample>> samples = new HashMap<>();

  private record Sample(long atNanos, long aheadMicros) {
    boolean isNoBetterThan(Sample newer) {
      long grown = (newer.atNanos() - atNanos) / NANOS_PER_DRIFT_MICRO;
      return aheadMicros + grown >= newer.aheadMicros();
    }

    long bound(long nowNanos) {
      // Rounded up: a bound that is rounded down is none.
      return aheadMicros - Math.floorDiv(atNanos - nowNanos, NANOS_PER_DRIFT_MICRO);
    }
  }

  /**
   * Adds a message of {@code peer}.
   *
   * @param sentMicros by the peer's clock, at the sending or before it
   * @param receivedMicros by this node's clock, at the arrival or after it
   * @param nowNanos a monotonic clock, which no one sets
   */
  public void received(int peer, long sentMicros, long receivedMicros, long nowNanos) {
    Sample added = new Sample(nowNanos, receivedMicros - sentMicros);
    Deque<Sample> known = samples.computeIfAbsent(peer, first -> new ArrayDeque<>());
    // An older sample with no better bound never has a better one.
    while (!known.isEmpty() && known.getLast().isNoBetterThan(added)) {
      known.removeLast();
    }
    known.addLast(added);
    if (known.size() > SAMPLES_MAX) {
      known.removeFirst();
    }
  }

  /** The bounds by peer, in microseconds. Negative: the peer's clock is ahead. */
  public SortedMap<Integer, Long> at(long nowNanos) {
    SortedMap<Integer, Long> bounds = new TreeMap<>();
    samples.forEach(
        (peer, known) -> {
          known.removeIf(sample -> nowNanos - sample.atNanos() > KEEP_NANOS);
          if (!known.isEmpty()) {
            bounds.put(peer, known.getFirst().bound(nowNanos));
          }
        });
    return bounds;
  }
}
