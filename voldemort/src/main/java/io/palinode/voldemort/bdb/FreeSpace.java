package io.palinode.voldemort.bdb;

import io.palinode.store.engine.FreeBytes;
import io.palinode.store.engine.StorageException;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The free space of a file system, measured at most every 10 ms. Berkeley DB measures every 10 s: a
 * write that finds no room in between would invalidate the environment until a restart. For one
 * thread at a time.
 */
final class FreeSpace {
  private static final long CHECK_NANOS = Duration.ofMillis(10).toNanos();
  private static final long MIB = 1L << 20;

  private final File folder;
  private final long bytesMin;
  private long checkedNanos;
  private long bytes;

  FreeSpace(Path folder, long bytesMin) {
    this.folder = folder.toFile();
    this.bytesMin = bytesMin;
    check(System.nanoTime());
  }

  /** Throws {@link StorageException} if less is free than the bound. Usually no I/O. */
  void require() {
    long now = System.nanoTime();
    if (now - checkedNanos >= CHECK_NANOS) {
      check(now);
    }
    if (bytes < bytesMin) {
      throw StorageException.full(
          "the disk is full: %,d MiB are free in %s, and %,d MiB are kept free"
              .formatted(bytes / MIB, folder, bytesMin / MIB));
    }
  }

  private void check(long now) {
    checkedNanos = now;
    bytes = FreeBytes.in(folder).orElse(Long.MAX_VALUE);
  }
}
