package io.palinode.detector;

import io.palinode.wire.v1.ControlRecord;
import org.jspecify.annotations.Nullable;

/**
 * What the log says of the open plan. Immutable.
 *
 * @param epoch the epoch that it opens, which names it
 * @param fencedBefore whether a plan that this one takes over from had paused the node
 * @param paused whether this incarnation of this node has said {@code Paused}
 * @param halted whether it waits for an operator
 * @param attempt the newest; null before the first
 */
record Plan(
    long epoch,
    boolean fencedBefore,
    boolean pauseAsked,
    boolean paused,
    boolean halted,
    @Nullable Attempt attempt) {

  static Plan of(long epoch, boolean fencedBefore) {
    return new Plan(epoch, fencedBefore, false, false, false, null);
  }

  Plan withPauseAsked() {
    return new Plan(epoch, fencedBefore, true, paused, halted, attempt);
  }

  Plan withPaused() {
    return new Plan(epoch, fencedBefore, pauseAsked, true, halted, attempt);
  }

  Plan withHalted() {
    return new Plan(epoch, fencedBefore, pauseAsked, paused, true, attempt);
  }

  private Plan with(Attempt attempt) {
    return new Plan(epoch, fencedBefore, pauseAsked, paused, halted, attempt);
  }

  /**
   * The plan after a record of an attempt; those of another attempt than the newest change nothing.
   */
  Plan heardOfAttempt(int self, ControlRecord record) {
    Attempt now = attempt;
    if (record.hasRestore()) {
      int number = record.getRestore().getAttempt();
      return now != null && number <= now.number()
          ? this
          : new Plan(
              epoch,
              fencedBefore,
              pauseAsked,
              paused,
              false,
              Attempt.of(number, record.getRestore().getTarget()));
    }
    if (now == null) {
      return this;
    }
    if (record.hasRestored() && record.getRestored().getAttempt() == now.number()) {
      return with(now.with(record.getRestored()));
    }
    if (record.hasConverge() && record.getConverge().getAttempt() == now.number()) {
      return with(now.withConvergeAsked());
    }
    if (record.hasContribution() && record.getContribution().getAttempt() == now.number()) {
      return with(now.with(record.getContribution()));
    }
    boolean isOwnEnd =
        record.hasConverged()
            && record.getConverged().getAttempt() == now.number()
            && record.getConverged().getNode() == self
            && record.getConverged().getLast();
    return isOwnEnd ? with(now.withConverged()) : this;
  }
}
