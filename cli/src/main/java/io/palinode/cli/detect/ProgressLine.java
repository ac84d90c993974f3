package io.palinode.cli.detect;

import io.palinode.detection.file.Progress;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reports the progress of a run after two seconds: on a terminal one line that is written over,
 * elsewhere a line every few seconds. A run that was interrupted stops here.
 */
final class ProgressLine implements Progress {
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long TERMINAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long LOOK_EVERY = 1_024;
  private static final String CLEAR = "\r\033[K";

  private final LongSupplier nanos;
  private final PrintWriter err;
  private final boolean terminal;
  private volatile boolean stopping;
  private Phase phase = new Phase("", "", 0, 0);
  private long next;
  private long calls;
  private boolean shown;

  ProgressLine(LongSupplier nanos, PrintWriter err, boolean terminal) {
    this.nanos = nanos;
    this.err = err;
    this.terminal = terminal;
    this.next = nanos.getAsLong() + SILENT_NANOS;
  }

  /**
   * What is being done.
   *
   * @param total the value of {@link #at} at the end; 0: not known
   */
  private record Phase(String verb, String unit, long total, long sinceNanos) {}

  /** The user wants the run to stop: {@link #at} will throw. From any thread. */
  void stop() {
    stopping = true;
  }

  @Override
  public void begin(String verb, String unit, long total) {
    phase = new Phase(verb, unit, total, nanos.getAsLong());
  }

  /** What the run is at. */
  String verb() {
    return phase.verb();
  }

  /** Throws {@link StoppedException} when the user wants that. */
  @Override
  public void at(long units, long done) {
    if (stopping) {
      throw new StoppedException();
    }
    if (++calls % LOOK_EVERY != 0) {
      return;
    }
    long now = nanos.getAsLong();
    if (now - next >= 0) {
      next = now + (terminal ? TERMINAL_NANOS : LOG_NANOS);
      show(units, done, (now - phase.sinceNanos()) / NANOS_PER_SECOND);
    }
  }

  private void show(long units, long done, double seconds) {
    StringBuilder line = new StringBuilder(phase.verb());
    boolean known = phase.total() > 0 && done > 0;
    if (known) {
      line.append(String.format(Locale.ROOT, " %d %%,", 100 * done / phase.total()));
    }
    line.append(String.format(Locale.ROOT, " %,d %s", units, phase.unit()));
    if (seconds > 0) {
      line.append(String.format(Locale.ROOT, ", %,.0f/s", units / seconds));
    }
    if (known) {
      double left = seconds * (phase.total() - done) / done;
      line.append(String.format(Locale.ROOT, ", %.0f s left", Math.max(0, left)));
    }
    err.print(terminal ? CLEAR + line : line + System.lineSeparator());
    err.flush();
    shown = true;
  }

  /** Takes away the line on a terminal, so that something else can be written. */
  void end() {
    if (terminal && shown) {
      err.print(CLEAR);
      err.flush();
      shown = false;
    }
  }
}
