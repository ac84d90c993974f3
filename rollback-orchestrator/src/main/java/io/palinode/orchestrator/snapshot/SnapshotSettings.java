package io.palinode.orchestrator.snapshot;

import java.time.Duration;

/**
 * What snapshots are bounded by.
 *
 * @param nodes nodes are numbered from 0 to {@code nodes - 1}
 * @param silenceMax a node that takes its part and says nothing for so long is given up
 * @param openMax snapshots that are taken at once
 * @param keptMax snapshots that are kept
 */
public record SnapshotSettings(int nodes, Duration silenceMax, int openMax, int keptMax) {
  public SnapshotSettings {
    if (nodes < 1 || openMax < 1 || keptMax < 1 || silenceMax.toMillis() < 1) {
      throw new IllegalArgumentException(
          "limits must be positive: nodes=%d silenceMax=%s openMax=%d keptMax=%d"
              .formatted(nodes, silenceMax, openMax, keptMax));
    }
  }

  public static SnapshotSettings of(int nodes) {
    return new SnapshotSettings(nodes, Duration.ofSeconds(30), 8, 1_000);
  }

  long silenceMaxMicros() {
    return silenceMax.toNanos() / 1_000;
  }
}
