package io.palinode.cli.options;

import io.palinode.retroscope.disklog.Compaction;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.store.restore.RestoreLimit;
import io.palinode.terminal.DurationText;
import io.palinode.terminal.Refusal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How far back a store node can be read and rolled back. */
public final class WindowLogOptions {
  private static final int DAYS_MAX = 3_650;
  private static final long BYTES_MIN = 16L << 20;
  private static final long RESTORE_BYTES_MIN = 1L << 20;

  @Option(
      names = "--window-log-disk",
      converter = DiskSize.class,
      defaultValue = "1g",
      paramLabel = "SIZE",
      description = {
        "How much of the past each node keeps on disk, of each store that is on disk: reads of the past and rollbacks reach back so far, also past a restart (default: ${DEFAULT-VALUE}; at least 16m; 0: memory only). A gibibyte of the volume is left free."
      })
  private long bytes;

  @Option(
      names = "--window-log-days",
      defaultValue = "7",
      paramLabel = "DAYS",
      description = "What is older goes from the disk (default: ${DEFAULT-VALUE}).")
  private int days;

  @Option(
      names = "--window-log-granularity",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = {
        "Keep what is older than --window-log-exact on disk only by this step, like 1m: it takes less, so it reaches further back, and can be read at whole steps, not rolled back to (default: all of it is kept)."
      })
  private @Nullable Duration granularity;

  @Option(
      names = "--window-log-exact",
      paramLabel = "DURATION",
      converter = DurationText.class,
      defaultValue = "1h",
      description =
          "With --window-log-granularity, what is younger stays exact (default: ${DEFAULT-VALUE}).")
  private Duration exact = Duration.ofHours(1);

  @Option(
      names = "--restore-memory",
      converter = DiskSize.class,
      paramLabel = "SIZE",
      description =
          "How much memory a node may hold for a rollback, some 400 bytes for each key that changed, and what it had: what needs more is refused like a time out of reach (default: an eighth of the heap, shared by the nodes of a process).")
  private @Nullable Long restoreBytes;

  /**
   * For each of so many nodes of this process. Throws {@link Refusal} for a limit that makes no
   * sense.
   */
  public RestoreLimit restores(int nodes) {
    Long asked = restoreBytes;
    if (asked == null) {
      return RestoreLimit.ofHeap(nodes);
    }
    if (asked < RESTORE_BYTES_MIN) {
      throw new Refusal("--restore-memory must be at least 1m: " + asked);
    }
    return RestoreLimit.ofBytes(asked);
  }

  /** Null: in memory only. Throws {@link Refusal} for a bound that makes no sense. */
  public @Nullable DiskBound bound() {
    if (days < 1 || days > DAYS_MAX) {
      throw new Refusal("--window-log-days must be in [1, %d]: %d".formatted(DAYS_MAX, days));
    }
    if (bytes == 0) {
      return null;
    }
    if (bytes < BYTES_MIN) {
      throw new Refusal("--window-log-disk must be at least 16m, or 0: " + bytes);
    }
    return new DiskBound(
        Duration.ofDays(days), bytes, DiskBound.FREE_BYTES_MIN_DEFAULT, compaction());
  }

  private @Nullable Compaction compaction() {
    if (granularity == null) {
      return null;
    }
    if (granularity.isZero() || exact.compareTo(granularity) < 0) {
      throw new Refusal(
          "--window-log-granularity must be at least 1s, and no longer than --window-log-exact: "
              + DurationText.of(granularity.toSeconds())
              + " and "
              + DurationText.of(exact.toSeconds()));
    }
    return new Compaction(exact, granularity);
  }
}
