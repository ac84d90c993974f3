package io.palinode.monitor;

import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeReached;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How far the nodes of one partition have been read, reported at most once per second. Not
 * thread-safe. O(1) a record, O(nodes) a report.
 */
public final class NodesRead {
  private static final long PERIOD_MS = 1_000;
  private static final long MICROS_PER_MS = 1_000;
  private static final long NEVER = -1;
  private static final long PROMISED = 0;

  private final ProgressWatermarks watermarks;
  private final long[] readMs;
  private final long[] unpromisedSince;
  private long dueMs = NEVER;

  public NodesRead(int nodes) {
    this.watermarks = new ProgressWatermarks(nodes);
    this.readMs = new long[nodes];
    this.unpromisedSince = new long[nodes];
    Arrays.fill(readMs, NEVER);
  }

  /** The report of the nodes that were read so far, if one is due; its own times are not set. */
  public @Nullable JudgementReport observe(CandidateEvent event, long nowMs) {
    var unused = watermarks.observe(event);
    readMs[event.node()] = nowMs;
    // Of the newest record: the first progress after it clears it.
    unpromisedSince[event.node()] =
        event.kind() == CandidateEvent.Kind.UNPROMISED
            ? event.decode().getUnpromisedSinceMicros()
            : PROMISED;
    if (dueMs != NEVER && nowMs < dueMs) {
      return null;
    }
    boolean isFirst = dueMs == NEVER;
    dueMs = nowMs + PERIOD_MS;
    // A job that starts reads of the nodes one after the other.
    return isFirst ? null : report();
  }

  private JudgementReport report() {
    JudgementReport.Builder report = JudgementReport.newBuilder();
    for (int node = 0; node < readMs.length; node++) {
      if (readMs[node] != NEVER) {
        report.addNodes(reached(node));
      }
    }
    return report.build();
  }

  private NodeReached reached(int node) {
    NodeReached.Builder reached =
        NodeReached.newBuilder()
            .setNode(node)
            .setHlc(Math.max(0, watermarks.complete(node)))
            .setReadMicros(readMs[node] * MICROS_PER_MS);
    if (unpromisedSince[node] != PROMISED) {
      reached.setUnpromisedSinceMicros(unpromisedSince[node]);
    }
    return reached.build();
  }
}
