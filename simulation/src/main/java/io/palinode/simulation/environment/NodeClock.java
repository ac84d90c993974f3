package io.palinode.simulation.environment;

import java.util.function.LongSupplier;

/** The wall clock of one machine: the world's, with the machine's offset and rate. */
public final class NodeClock implements LongSupplier {
  /** Where the world's time begins. */
  public static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  private final VirtualTime time;
  private long offsetMicros;

  /** Millionths by which it runs too fast. */
  private long driftPpm;

  public NodeClock(VirtualTime time) {
    this.time = time;
  }

  public void skew(long newOffsetMicros, long newDriftPpm) {
    offsetMicros = newOffsetMicros;
    driftPpm = newDriftPpm;
  }

  public void jump(long micros) {
    offsetMicros += micros;
  }

  /** Right again, as far as clocks are. */
  public void set() {
    skew(0, 0);
  }

  @Override
  public long getAsLong() {
    long now = time.nowMicros();
    return EPOCH_MICROS + now + offsetMicros + now / 1_000 * driftPpm / 1_000;
  }
}
