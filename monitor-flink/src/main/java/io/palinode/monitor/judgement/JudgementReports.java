package io.palinode.monitor.judgement;

import io.palinode.wire.Build;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.NodeReached;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What judgement waits for, merged from all partitions. For each node it uses the partition whose
 * records are read least far. Not thread-safe.
 */
public final class JudgementReports {
  private static final long MICROS_PER_MS = 1_000;

  private final long startedMs;
  private final String epsilon;
  private final String open;
  private final Map<Integer, List<NodeReached>> byPartition = new HashMap<>();

  /**
   * @param open what other machines may do at this process without proof; empty: nothing
   */
  public JudgementReports(long startedMs, String epsilon, String open) {
    this.startedMs = startedMs;
    this.epsilon = epsilon;
    this.open = open;
  }

  /** Replaces the report of a partition. */
  public void learn(int partition, JudgementReport ofPartition) {
    byPartition.put(partition, ofPartition.getNodesList());
  }

  /**
   * Returns the merged report.
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
            .setEpsilon(epsilon)
            .setVersion(Build.VERSION)
            .setOpen(open)
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
        .setSkipped(one.getSkipped() || other.getSkipped())
        .build();
  }
}
