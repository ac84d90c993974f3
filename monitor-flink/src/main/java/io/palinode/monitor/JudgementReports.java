package io.palinode.monitor;

import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeReached;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the job waits for, put together from its partitions: of each node the partition in which it
 * was read least far. Not thread-safe.
 */
public final class JudgementReports {
  private static final long MICROS_PER_MS = 1_000;

  private final long startedMs;
  private final Map<Integer, List<NodeReached>> byPartition = new HashMap<>();

  public JudgementReports(long startedMs) {
    this.startedMs = startedMs;
  }

  /** The latest of a partition counts. */
  public void learn(int partition, JudgementReport ofPartition) {
    byPartition.put(partition, ofPartition.getNodesList());
  }

  /**
   * The report at {@code nowMs}.
   *
   * @param heldAt the least HLC that waits for a predicate, or {@link JudgedPace#NOTHING}
   */
  public JudgementReport at(long nowMs, long heldAt) {
    Map<Integer, NodeReached> least = new TreeMap<>();
    byPartition.values().stream()
        .flatMap(List::stream)
        .forEach(reached -> least.merge(reached.getNode(), reached, JudgementReports::both));
    JudgementReport.Builder report =
        JudgementReport.newBuilder()
            .setAtMicros(nowMs * MICROS_PER_MS)
            .setStartedMicros(startedMs * MICROS_PER_MS)
            .addAllNodes(least.values());
    if (heldAt != JudgedPace.NOTHING) {
      report.setHeldHlc(heldAt);
    }
    return report.build();
  }

  private static NodeReached both(NodeReached one, NodeReached other) {
    NodeReached behind = one.getHlc() <= other.getHlc() ? one : other;
    return behind.toBuilder()
        .setReadMicros(Math.max(one.getReadMicros(), other.getReadMicros()))
        .build();
  }
}
