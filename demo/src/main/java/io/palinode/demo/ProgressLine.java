package io.palinode.demo;

import io.palinode.examples.graph.run.Progress;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/**
 * Live progress on standard error: one line that is written over on a terminal, a line now and then
 * elsewhere.
 */
final class ProgressLine {
  private static final long TERMINAL_NANOS = Duration.ofMillis(200).toNanos();
  private static final long LOG_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int BAR = 20;

  private final PrintWriter err;
  private final boolean terminal;
  private long lastNanos = Long.MIN_VALUE / 2;

  ProgressLine(PrintWriter err, boolean terminal) {
    this.err = err;
    this.terminal = terminal;
  }

  /** A step that takes a while. */
  void step(String text) {
    err.print(terminal ? "\r\033[K" + text : text + "\n");
    err.flush();
    lastNanos = System.nanoTime();
  }

  void show(String what, Progress progress, double seconds) {
    long now = System.nanoTime();
    if (now - lastNanos < (terminal ? TERMINAL_NANOS : LOG_NANOS)) {
      return;
    }
    int share = progress.tasksTotal() == 0 ? 0 : BAR * progress.tasks() / progress.tasksTotal();
    step(
        String.format(
            Locale.ROOT,
            "%-22s [%s%s] %5.1f s  tasks %d/%d  %,.0f operations/s%s",
            what,
            "#".repeat(share),
            ".".repeat(BAR - share),
            seconds,
            progress.tasks(),
            progress.tasksTotal(),
            progress.operations() / Math.max(seconds, 0.001),
            progress.rollbacks() == 0 ? "" : "  rollbacks " + progress.rollbacks()));
  }

  /** A line that stays. */
  void say(String text) {
    err.print((terminal ? "\r\033[K" : "") + text + "\n");
    err.flush();
  }
}
