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
        "Size of the window-log on disk, for each node and each store on disk. It limits how far"
            + " back reads and rollbacks reach, even after a restart (default: ${DEFAULT-VALUE};"
            + " at least 16m; 0: memory only). One gibibyte of the volume stays free."
      })
  private long bytes;

  @Option(
      names = "--window-log-days",
      defaultValue = "7",
      paramLabel = "DAYS",
      description =
          "Days after which entries are deleted from the disk (default: ${DEFAULT-VALUE}).")
  private int days;

  @Option(
      names = "--window-log-granularity",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = {
        "For times before --window-log-exact, keep one value per key and step, such as 1m. The"
            + " log then reaches further back. Such times can be read at whole steps, but not"
            + " restored (default: keep all values)."
      })
  private @Nullable Duration granularity;

  @Option(
      names = "--window-log-exact",
      paramLabel = "DURATION",
      converter = DurationText.class,
      defaultValue = "1h",
      description =
          "With --window-log-granularity: the time for which all values are kept (default:"
              + " ${DEFAULT-VALUE}).")
  private Duration exact = Duration.ofHours(1);

  @Option(
      names = "--restore-memory",
      converter = DiskSize.class,
      paramLabel = "SIZE",
      description =
          "Memory that a node may use for a rollback: about 400 bytes and the old value for each"
              + " changed key. A rollback that needs more is refused, like a time out of reach"
              + " (default: an eighth of the heap, shared by the nodes of a process).")
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
