package io.palinode.monitor.judgement;

import io.palinode.monitor.CandidateEvent;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeReached;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Reports how far the nodes of one partition have been read, once per second. Not thread-safe. O(1)
 * a record, O(nodes) a report.
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

  /**
   * Returns a report of the nodes read so far, without its own times; null if none is due.
   *
   * @param isSkipped whether judgement continues without a node
   */
  public @Nullable JudgementReport observe(
      CandidateEvent event, long nowMs, IntPredicate isSkipped) {
    var unused = watermarks.observe(event);
    readMs[event.node()] = nowMs;
    // The newest record counts: the first progress after it clears the state.
    unpromisedSince[event.node()] =
        event.kind() == CandidateEvent.Kind.UNPROMISED
            ? event.decode().getUnpromisedSinceMicros()
            : PROMISED;
    if (dueMs != NEVER && nowMs < dueMs) {
      return null;
    }
    boolean isFirst = dueMs == NEVER;
    dueMs = nowMs + PERIOD_MS;
    // At the start the first record comes from one node only.
    return isFirst ? null : report(isSkipped);
  }

  private JudgementReport report(IntPredicate isSkipped) {
    JudgementReport.Builder report = JudgementReport.newBuilder();
    for (int node = 0; node < readMs.length; node++) {
      if (readMs[node] != NEVER) {
        report.addNodes(reached(node).toBuilder().setSkipped(isSkipped.test(node)));
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
