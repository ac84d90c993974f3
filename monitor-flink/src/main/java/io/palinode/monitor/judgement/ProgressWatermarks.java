package io.palinode.monitor.judgement;

import io.palinode.hvc.Hlc;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.sequence.Numbering;
import io.palinode.monitor.sequence.SequenceCheck;
import io.palinode.monitor.sequence.SkippedNodes;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Computes how far a partition is complete: the least HLC over all nodes up to which all their
 * records are read. One object per partition; records must come in the partition's order. O(1) an
 * event, O(nodes) when the node that is furthest behind moves.
 *
 * <p>Progress at h completes everything up to h. A candidate at h completes only what is before h,
 * because one write may end several intervals at the same time. A new incarnation changes nothing,
 * because its clock continues. If a node restarts its incarnations or sequences, it has lost its
 * disk. {@link SequenceCheck} then drops its records, and the watermark stops.
 *
 * <p>A record after a hole completes nothing. Completion resumes when the node has published the
 * gap and its late closings ({@link Numbering}). Otherwise a closing that Kafka refused would count
 * as absent.
 *
 * <p>A node that is silent for long is skipped: the watermark continues without it, a little behind
 * a majority of the nodes, until the node has caught up. {@link SkippedNodes} reports it. Two nodes
 * never skip one another.
 *
 * <p>A new epoch resets completion. In a new epoch, a node publishes the intervals of its restored
 * state, from before it serves. A node that opens the epoch late may have published progress past
 * that time. From the first record of a newer epoch on, a node counts only after it publishes in
 * that epoch. Records of older epochs then complete nothing, and the watermark stops meanwhile.
 * Until then the older epoch counts, because a plan waits for judgement in it.
 */
public final class ProgressWatermarks {
  /** The watermark before every node has published a record. */
  public static final long NONE = Long.MIN_VALUE;

  /**
   * How far the watermark stays behind the majority while it skips a node. The first records of the
   * node's next incarnation must not be behind the watermark, though they need time to arrive.
   */
  private static final long BEHIND_MAX = Hlc.ofMicros(2_000_000);

  private final Skipping skipping;
  private final long[] complete;
  private final Numbering[] numberings;
  private long newestEpoch;
  private long least = NONE;
  private long watermark = NONE;

  /** Since when each node is silent and far behind, by the clock; {@link #NONE}: it is not. */
  private final long[] silentSince;

  /** The HLC of the first event, and of the first one of the newest epoch. */
  private long begun = NONE;

  /**
   * When a node is skipped: it is far behind a majority, and then publishes nothing for some time.
   *
   * @param after how far behind, in HLC units
   * @param graceMs for how long it publishes nothing, by {@code clockMs}
   */
  public record Skipping(long after, long graceMs, LongSupplier clockMs) {
    /** No node is skipped. */
    public static final Skipping NEVER = new Skipping(Long.MAX_VALUE, 0, () -> 0);

    public boolean isOn() {
      return after != Long.MAX_VALUE;
    }
  }

  /** Never skips a node. */
  public ProgressWatermarks(int nodes) {
    this(nodes, Skipping.NEVER);
  }

  public ProgressWatermarks(int nodes, Skipping skipping) {
    this.skipping = skipping;
    this.complete = new long[nodes];
    this.numberings = new Numbering[nodes];
    Arrays.setAll(numberings, node -> new Numbering());
    Arrays.fill(complete, NONE);
    this.silentSince = new long[nodes];
    Arrays.fill(silentSince, NONE);
  }

  /** Observes an event. Returns whether the watermark grew. */
  public boolean observe(CandidateEvent event) {
    Numbering numbering = numberings[event.node()];
    if (event.kind() == CandidateEvent.Kind.UNPROMISED) {
      return false;
    }
    if (!numbering.observe(event) || event.epoch() < newestEpoch) {
      return false;
    }
    if (event.epoch() > newestEpoch) {
      begin(event.epoch());
    }
    begun = begun == NONE ? event.hlc() : begun;
    silentSince[event.node()] = NONE;
    if (numbering.isBehindHole(event)) {
      return false;
    }
    long upTo =
        switch (event.kind()) {
          case PROGRESS, STOPPED -> event.hlc();
          case OPENED, CLOSED -> event.hlc() - 1;
          // Only the progress after a gap completes its span.
          case GAP, UNPROMISED -> NONE;
        };
    long before = complete[event.node()];
    if (upTo <= before) {
      return false;
    }
    complete[event.node()] = upTo;
    boolean isOneFarBehind = upTo - skipping.after() > Math.max(least, begun);
    return (before == least || isOneFarBehind) && advance();
  }

  private void begin(long epoch) {
    newestEpoch = epoch;
    Arrays.fill(complete, NONE);
    least = NONE;
    begun = NONE;
  }

  /** Returns the greatest HLC up to which the partition is complete, or {@link #NONE}. */
  public long watermark() {
    return watermark;
  }

  /** Returns the greatest HLC up to which the node is complete, or {@link #NONE}. */
  public long complete(int node) {
    return complete[node];
  }

  private boolean advance() {
    least = Long.MAX_VALUE;
    for (long node : complete) {
      least = Math.min(least, node);
    }
    long reached = skipping.isOn() ? leastUnskipped() : least;
    boolean moved = reached > watermark;
    watermark = Math.max(watermark, reached);
    return moved;
  }

  private long leastUnskipped() {
    long[] sorted = complete.clone();
    Arrays.sort(sorted);
    long majority = sorted[(sorted.length - 1) / 2];
    if (majority == NONE) {
      return NONE;
    }
    long nowMs = skipping.clockMs().getAsLong();
    long unskipped = Long.MAX_VALUE;
    boolean isOneSkipped = false;
    for (int node = 0; node < complete.length; node++) {
      if (isSkipped(node, majority, nowMs)) {
        isOneSkipped = true;
      } else {
        unskipped = Math.min(unskipped, complete[node]);
      }
    }
    long behind = Math.min(BEHIND_MAX, skipping.after() / 4);
    return isOneSkipped ? Math.min(unskipped, majority - behind) : unskipped;
  }

  private boolean isSkipped(int node, long majority, long nowMs) {
    if (majority - skipping.after() <= Math.max(complete[node], begun)) {
      silentSince[node] = NONE;
      return false;
    }
    if (silentSince[node] == NONE) {
      silentSince[node] = nowMs;
    }
    return nowMs - silentSince[node] >= skipping.graceMs();
  }
}
