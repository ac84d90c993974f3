package io.palinode.voldemort.bdb;

import java.time.Duration;

/**
 * The bounds of one node's Berkeley DB environment.
 *
 * @param cacheBytes memory for B-tree and log buffers
 * @param logFileBytes size of one log file; the cleaner frees space a file at a time
 * @param freeDiskBytes writes are refused if the volume has less free space
 * @param lockTimeout how long a read waits for a transaction on the same record
 */
public record BdbConfig(
    long cacheBytes, long logFileBytes, long freeDiskBytes, Duration lockTimeout) {
  public static final BdbConfig DEFAULT =
      new BdbConfig(64L << 20, 16L << 20, 64L << 20, Duration.ofSeconds(2));

  public BdbConfig {
    if (cacheBytes < 1 << 20) {
      throw new IllegalArgumentException(
          "the cache must have at least 1 MiB: cacheBytes=" + cacheBytes);
    }
    if (logFileBytes < 1_000_000 || logFileBytes > 1L << 30) {
      throw new IllegalArgumentException(
          "a log file must have 1,000,000 bytes to 1 GiB: logFileBytes=" + logFileBytes);
    }
    if (freeDiskBytes < 0) {
      throw new IllegalArgumentException(
          "free disk space must not be negative: freeDiskBytes=" + freeDiskBytes);
    }
    if (lockTimeout.isNegative() || lockTimeout.isZero()) {
      throw new IllegalArgumentException(
          "the lock timeout must be positive: lockTimeout=" + lockTimeout);
    }
  }
}
