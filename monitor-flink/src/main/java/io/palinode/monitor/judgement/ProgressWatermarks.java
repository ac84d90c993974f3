package io.palinode.monitor.judgement;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.sequence.Numbering;
import io.palinode.monitor.sequence.SequenceCheck;
import java.util.Arrays;

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
 * <p>A new epoch resets completion. In a new epoch, a node publishes the intervals of its restored
 * state, from before it serves. A node that opens the epoch late may have published progress past
 * that time. From the first record of a newer epoch on, a node counts only after it publishes in
 * that epoch. Records of older epochs then complete nothing, and the watermark stops meanwhile.
 * Until then the older epoch counts, because a plan waits for judgement in it.
 */
public final class ProgressWatermarks {
  /** The watermark before every node has published a record. */
  public static final long NONE = Long.MIN_VALUE;

  private final long[] complete;
  private final Numbering[] numberings;
  private long newestEpoch;
  private long least = NONE;
  private long watermark = NONE;

  public ProgressWatermarks(int nodes) {
    this.complete = new long[nodes];
    this.numberings = new Numbering[nodes];
    Arrays.setAll(numberings, node -> new Numbering());
    Arrays.fill(complete, NONE);
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
    return before == least && advance();
  }

  private void begin(long epoch) {
    newestEpoch = epoch;
    Arrays.fill(complete, NONE);
    least = NONE;
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
    boolean moved = least > watermark;
    watermark = Math.max(watermark, least);
    return moved;
  }
}
