package io.palinode.monitor;

import java.util.Arrays;

/**
 * How far a partition is complete: the least own HLC over all nodes for which everything has been
 * read. One per partition; its records come in the partition's order. O(1) an event, O(n) when the
 * node that was furthest behind moves.
 *
 * <p>Progress at h says that all up to h is here. A candidate at h only says so for what is before
 * h: one write may end several intervals, all at the same time. A node that starts anew goes on
 * from where its clock was, so a new incarnation changes nothing here. One that counts its
 * incarnations or sequences anew has lost its disk: {@link SequenceCheck} keeps back what it says,
 * so that completes nothing, and the watermark stands still.
 *
 * <p>What follows a record that did not arrive says nothing of it: until the node has told that it
 * is missing, and then, in its order, what of it can be told late, its records complete nothing
 * ({@link Numbering}). An end that Kafka refused would else count as never come.
 *
 * <p>A new epoch does change something. A node that opens one finds again what holds in its
 * restored state, from a time before any node served it; a node that is late in opening it may have
 * told progress past that. So from the first record of a newer epoch on, a node counts only once it
 * has spoken in that epoch, and what is said in an older one completes nothing. The watermark is
 * held meanwhile. Until then the older epoch counts: a plan waits for judgement in it.
 */
public final class ProgressWatermarks {
  /** Before every node has spoken nothing is complete. */
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

  /** Whether the watermark has moved on. */
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
          // What was lost is still part of what is not complete; progress follows a gap.
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

  /** The greatest HLC up to which the partition is complete, or {@link #NONE}. */
  public long watermark() {
    return watermark;
  }

  /** The greatest HLC up to which the node is complete, or {@link #NONE}. */
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
