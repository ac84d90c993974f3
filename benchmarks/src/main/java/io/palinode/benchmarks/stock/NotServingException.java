package io.palinode.benchmarks.stock;

import java.io.IOException;
import java.io.Serial;
import java.util.List;

/** A server process has ended, or has not done in time what was waited for. */
final class NotServingException extends IOException {
  @Serial private static final long serialVersionUID = 1L;
  private static final int LINES_TOLD = 12;

  // Not serializable, but no such exception leaves the process.
  private final transient List<String> log;
  private final boolean alive;

  /**
   * @param what it was to do
   * @param log its lines, all of them
   */
  NotServingException(String what, boolean alive, List<String> log) {
    super(
        "the server must %s within %s: alive=%s%n%s"
            .formatted(what, ServerProgram.START_MAX, alive, end(log)));
    this.alive = alive;
    this.log = List.copyOf(log);
  }

  static String end(List<String> log) {
    return String.join(
        System.lineSeparator(), log.subList(Math.max(0, log.size() - LINES_TOLD), log.size()));
  }

  boolean isAlive() {
    return alive;
  }

  List<String> log() {
    return log;
  }
}
