package io.palinode.cli.detect;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells how far a run has come, once it has taken two seconds and then every second. */
final class Progress {
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long PACE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_EVERY = 1_024;

  private final LongSupplier nanos;
  private final PrintWriter err;
  private long next;
  private long lines;

  Progress(LongSupplier nanos, PrintWriter err) {
    this.nanos = nanos;
    this.err = err;
    this.next = nanos.getAsLong() + SILENT_NANOS;
  }

  /** So many lines were read. */
  void read(long count) {
    lines = count;
    if (isDue(count)) {
      err.println("read " + count + " lines");
    }
  }

  /** So many intervals were judged. */
  void judged(long count) {
    if (isDue(count)) {
      err.println("judged " + count + " of " + lines + " intervals");
    }
  }

  private boolean isDue(long count) {
    if (count % LOOK_EVERY != 0) {
      return false;
    }
    long now = nanos.getAsLong();
    if (now - next < 0) {
      return false;
    }
    next = now + PACE_NANOS;
    return true;
  }
}
