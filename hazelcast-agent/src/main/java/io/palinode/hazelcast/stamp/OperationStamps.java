package io.palinode.hazelcast.stamp;

import io.palinode.hvc.ClockDriftException;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds a member's clock to the packets that it sends, and takes in those that it receives.
 *
 * <p>A send is no event: the stamp is the reading of the last event, so packets without a change in
 * between share one. Thread-safe. A send takes no lock.
 */
public final class OperationStamps {
  private static final Logger log = LoggerFactory.getLogger(OperationStamps.class);

  private final HvcClock clock;
  private final int nodes;
  private final int cluster;
  private final Consumer<ClockDriftException> refused;
  private final AtomicLong refusals = new AtomicLong();
  private final AtomicLong unread = new AtomicLong();
  private volatile @Nullable Stamp last;

  private record Stamp(Hvc reading, byte[] bytes) {}

  /**
   * @param cluster the cluster's name
   * @param refused accepts each clock that is too far ahead
   */
  public OperationStamps(
      HvcClock clock, int nodes, String cluster, Consumer<ClockDriftException> refused) {
    this.clock = clock;
    this.nodes = nodes;
    this.cluster = cluster.hashCode();
    this.refused = refused;
  }

  /** A copy of a payload, with the clock behind it. */
  public byte[] stamped(byte[] payload) {
    Hvc reading = clock.last();
    Stamp stamp = last;
    if (stamp == null || !stamp.reading().equals(reading)) {
      stamp = new Stamp(reading, StampCodec.encode(cluster, reading));
      last = stamp;
    }
    return StampCodec.append(payload, stamp.bytes());
  }

  /**
   * Takes in the clock of a received payload, if it has one: later stamps are after it. Refuses and
   * counts a clock that is too far ahead, and a stamp that this release cannot read.
   */
  public void received(byte[] payload) {
    try {
      Hvc hvc = StampCodec.find(payload, cluster);
      if (hvc != null) {
        requireSize(hvc);
        clock.receive(hvc);
      }
    } catch (ClockDriftException e) {
      refused.accept(e);
      if (refusals.getAndIncrement() == 0) {
        log.warn("state=CLOCK_AHEAD, its operations are carried out: {}", e.getMessage());
      }
    } catch (IllegalArgumentException e) {
      if (unread.getAndIncrement() == 0) {
        log.warn("state=STAMP_UNREAD, its operations are carried out: {}", e.getMessage());
      }
    }
  }

  private void requireSize(Hvc hvc) {
    if (hvc.nodes() != nodes) {
      throw new IllegalArgumentException(
          "a clock of this cluster must have %d entries: entries=%d".formatted(nodes, hvc.nodes()));
    }
  }

  /** The clocks refused so far, because they were too far ahead. */
  public long refused() {
    return refusals.get();
  }

  /** The stamps so far that this release could not read. */
  public long unread() {
    return unread.get();
  }
}
