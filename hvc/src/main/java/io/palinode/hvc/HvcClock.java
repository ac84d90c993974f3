package io.palinode.hvc;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The clock of one node among n: its own HLC and the latest it knows of every other node.
 * Thread-safe; every reading it hands out is unique in its own entry and greater than all before
 * it. O(n) an event, one allocation.
 *
 * <p>On any event {@code hvc[j] = max(hvc[j], received[j], now − ε)} for j ≠ own
 * (Yingchareonthawornchai et al., "Analysis of Bounds on Hybrid Vector Clocks", OPODIS 2015).
 */
public final class HvcClock {
  /** A received timestamp further ahead of the local physical clock than this is refused. */
  public static final Duration MAX_DRIFT_DEFAULT = Duration.ofMillis(500);

  private final int owner;
  private final Epsilon epsilon;
  private final LongSupplier epochMicros;
  private final long maxDriftMicros;
  private final long[] entries;

  /** So that its readers take no lock. */
  private volatile Hvc last;

  public HvcClock(
      int owner, int nodes, Epsilon epsilon, LongSupplier epochMicros, Duration maxDrift) {
    if (owner < 0 || owner >= nodes) {
      throw new IllegalArgumentException(
          "owner must be in [0, " + (nodes - 1) + "]: owner=" + owner);
    }
    this.owner = owner;
    this.epsilon = epsilon;
    this.epochMicros = epochMicros;
    this.maxDriftMicros = maxDrift.toNanos() / 1_000;
    this.entries = new long[nodes];
    this.last = Hvc.of(owner, entries);
  }

  /** A local or send event. */
  public synchronized Hvc tick() {
    long now = epochMicros.getAsLong();
    entries[owner] = Hlc.tick(entries[owner], now);
    return reading(now);
  }

  /**
   * A receive event. Throws {@link ClockDriftException}, and changes nothing, when a received entry
   * is too far ahead.
   */
  public synchronized Hvc tick(Hvc received) {
    long now = epochMicros.getAsLong();
    if (received.nodes() != entries.length) {
      throw new IllegalArgumentException(
          "an HVC of this cluster has " + entries.length + " entries: received=" + received);
    }
    for (int j = 0; j < entries.length; j++) {
      if (Hlc.micros(received.get(j)) - now > maxDriftMicros) {
        throw new ClockDriftException(owner, now, j, received.get(j), maxDriftMicros);
      }
    }
    long newest = 0;
    for (int j = 0; j < entries.length; j++) {
      newest = Math.max(newest, received.get(j));
      entries[j] = j == owner ? entries[j] : Math.max(entries[j], received.get(j));
    }
    // Not only received[owner]: the own HLC must exceed every received entry, or a cut by HLC would
    // not be consistent.
    entries[owner] = Hlc.tick(entries[owner], now, newest);
    return reading(now);
  }

  /**
   * Takes in a received reading, so that each later own one is after it. As {@link #tick(Hvc)}, but
   * no event, without a lock, if the clock has passed {@code received}.
   */
  public void receive(Hvc received) {
    if (!last.includes(received)) {
      Hvc unused = tick(received);
    }
  }

  /**
   * A receive event of a bare HLC that the cluster agreed on. The clock never refuses it, since its
   * node must continue. A broken clock moves no other clock beyond the accepted drift: the own HLC
   * is then not past {@code hlc} but that far ahead of the physical clock.
   */
  public synchronized Hvc tickPast(long hlc) {
    long now = epochMicros.getAsLong();
    long furthest = Hlc.ofMicros(Math.min(Hlc.MICROS_MAX, now + maxDriftMicros)) - 1;
    entries[owner] = Hlc.tick(entries[owner], now, Math.min(hlc, furthest));
    return reading(now);
  }

  /** Whether {@link #tickPast} would go past {@code hlc}, or the clock has. */
  public synchronized boolean canPass(long hlc) {
    return hlc < Hlc.ofMicros(Math.min(Hlc.MICROS_MAX, epochMicros.getAsLong() + maxDriftMicros));
  }

  /** The reading of the last event, the same object until the next one. Makes no event. No lock. */
  public Hvc last() {
    return last;
  }

  private Hvc reading(long now) {
    long floor =
        epsilon.isInfinite() || now <= epsilon.micros() ? 0 : Hlc.ofMicros(now - epsilon.micros());
    for (int j = 0; j < entries.length; j++) {
      entries[j] = Math.max(entries[j], floor);
    }
    Hvc reading = Hvc.of(owner, entries);
    last = reading;
    return reading;
  }
}
