package io.palinode.monitor.sequence;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.sequence.SequenceCheck.Position;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Finds the nodes that judgement skips: a watermark passes their last event. Their intervals end
 * with that event, a coverage gap begins there, and no event of their incarnation is used any more.
 * It knows the partitions with an event since the start. Not thread-safe. O(1) an event, O(nodes ×
 * partitions) a watermark.
 */
public final class SkippedNodes {
  private static final long SKIPPED = Long.MAX_VALUE;

  private final int nodes;
  private final SequenceCheck check;
  private final KeptBack keptBack;

  /** The HLC of each node's last event, by partition; {@link #SKIPPED}. */
  private final Map<Integer, long[]> reached = new HashMap<>();

  private long watermark = Long.MIN_VALUE;

  public SkippedNodes(int nodes, SequenceCheck check, KeptBack keptBack) {
    this.nodes = nodes;
    this.check = check;
    this.keptBack = keptBack;
  }

  /** Checks the event, as {@link SequenceCheck#observe}. */
  public SequenceCheck.Outcome observe(CandidateEvent event) {
    long[] ofPartition = reached.computeIfAbsent(event.partition(), this::restored);
    boolean isSkipped = ofPartition[event.node()] == SKIPPED;
    boolean isTimed = event.stamp().hasClock();
    boolean isLate = isSkipped && isTimed && event.hlc() <= watermark && check.isNext(event);
    SequenceCheck.Outcome outcome = isLate ? check.refuse(event) : check.observe(event);
    if (isTimed && outcome.fresh()) {
      // A late closing has an earlier time than the events before it.
      long before = isSkipped ? Long.MIN_VALUE : ofPartition[event.node()];
      ofPartition[event.node()] = Math.max(before, event.hlc());
    }
    return outcome;
  }

  private long[] restored(int partition) {
    long[] hlcs = new long[nodes];
    Arrays.setAll(hlcs, node -> reached(new Channel(partition, node)));
    return hlcs;
  }

  private long reached(Channel channel) {
    Position position = check.position(channel);
    if (position == null) {
      return Long.MIN_VALUE;
    }
    return position.isSkipped() ? SKIPPED : position.stamp().hlc();
  }

  /**
   * Returns the notices that must precede the watermark, and passes on what waited.
   *
   * @param hlc a watermark
   */
  public List<Notice> pass(long hlc, Consumer<CandidateEvent> handOn) {
    List<Notice> notices = List.of();
    for (Map.Entry<Integer, long[]> entry : reached.entrySet()) {
      long[] ofPartition = entry.getValue();
      for (int node = 0; node < nodes; node++) {
        if (ofPartition[node] < hlc) {
          ofPartition[node] = SKIPPED;
          Channel channel = new Channel(entry.getKey(), node);
          keptBack.giveUp(channel, handOn);
          notices = new ArrayList<>(notices);
          notices.addAll(check.skip(channel));
        }
      }
    }
    watermark = hlc;
    return notices;
  }

  /** Returns whether judgement continues without the node. */
  public boolean isSkipped(Channel channel) {
    long[] ofPartition = reached.get(channel.partition());
    return ofPartition != null && ofPartition[channel.node()] == SKIPPED;
  }
}
