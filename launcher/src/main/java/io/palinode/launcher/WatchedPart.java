package io.palinode.launcher;

import org.jspecify.annotations.Nullable;

/** A part of this process that may fail by itself and be started again. Called by one thread. */
interface WatchedPart {
  /** As in a sentence: {@code the detection job}. */
  String name();

  /** The store node that it belongs to; null: none. */
  @Nullable Integer node();

  /** How it is. Does not block for longer than some seconds. */
  Condition look();

  /** Ends what is left of it and starts it again. Throws when it does not start. */
  void restart() throws Exception;

  /**
   * How a part is.
   *
   * @param reason why it does not run; empty while it runs
   * @param needsRestart whether it stays so by itself
   */
  record Condition(String reason, boolean needsRestart) {
    static final Condition RUNS = new Condition("", false);

    boolean runs() {
      return reason.isEmpty();
    }
  }
}
