package io.palinode.orchestrator.health;

import java.util.Locale;

/** The free space of disks. Pure. */
final class FreeDisk {
  /** A node refuses writes below 64 MiB, and a broker ends: this leaves time to act. */
  static final long LOW_BYTES = 2L << 30;

  private static final double GIB = 1L << 30;

  private FreeDisk() {}

  static boolean isLow(long bytes) {
    return bytes < LOW_BYTES;
  }

  /** {@code 1.5 GiB}. */
  static String gib(long bytes) {
    return String.format(Locale.ROOT, "%.1f GiB", bytes / GIB);
  }
}
