package io.palinode.orchestrator.snapshot;

import java.time.Duration;

/**
 * The limits of snapshots. Immutable.
 *
 * @param nodes the number of nodes, numbered from 0
 * @param silenceMax a node without a report for this time fails its part
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
