package io.palinode.cassandra.node;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.utils.FBUtilities;

/** The timestamps of the mutations that this server has applied, in microseconds. Thread-safe. */
public final class Timestamps {
  private final AtomicLong latest = new AtomicLong();
  private final long aheadMicros;

  /**
   * @param ahead how far a timestamp may be ahead of this server's clock
   */
  Timestamps(Duration ahead) {
    this.aheadMicros = TimeUnit.NANOSECONDS.toMicros(ahead.toNanos());
  }

  /** Throws {@link InvalidRequestException} for one that a restore could not exceed. */
  public void require(long timestamp) {
    if (isAhead(timestamp)) {
      throw new InvalidRequestException(
          "a timestamp must be at most %d us ahead of the server's clock, so that a rollback can exceed it: %d"
              .formatted(aheadMicros, timestamp));
    }
  }

  public boolean isAhead(long timestamp) {
    return timestamp > FBUtilities.timestampMicros() + aheadMicros;
  }

  public void applied(long timestamp) {
    latest.accumulateAndGet(timestamp, Math::max);
  }

  long latest() {
    return latest.get();
  }
}
