package io.palinode.store.kafka;

import io.palinode.store.control.Command;
import io.palinode.store.control.ControlExecution;
import io.palinode.store.control.ControlState;
import io.palinode.store.control.FailingDuty;
import io.palinode.store.control.NodeControl;
import io.palinode.store.engine.StorageException;
import io.palinode.wire.v1.ControlRecord;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the node's side of the control log: executes the commands of each record. Used by the tail's
 * thread, except {@link #awaitBegun} and the meters.
 */
final class ControlTail implements ControlListener {
  private static final Logger log = LoggerFactory.getLogger(ControlTail.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final ControlExecution execution;
  private final LongAdder steps = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final FailingDuty failingDuty = new FailingDuty(FailingDuty.ANSWERED_AFTER);
  private final CountDownLatch begun = new CountDownLatch(1);
  private volatile @Nullable String failing;
  private ControlState state;
  private boolean retryDue;
  private long retryAt;

  ControlTail(ControlState initial, ControlExecution execution) {
    this.state = initial;
    this.execution = execution;
  }

  @Override
  public void onStep(ControlRecord step) {
    take(NodeControl.step(state, step));
  }

  @Override
  public void onCaughtUp() {
    log.info("node={} epoch={} state=CAUGHT_UP", state.node(), state.epoch());
    take(NodeControl.caughtUp(state));
  }

  /** Called after each poll, also without a record. */
  void onPolled() {
    if (retryDue && System.nanoTime() - retryAt >= 0) {
      retryDue = false;
      take(NodeControl.retry(state));
    }
  }

  private void take(NodeControl.Step step) {
    logChange(step.next());
    state = step.next();
    execution.noteRollbacks(state.rollbacks());
    steps.increment();
    // While a retry is due, later commands wait for it.
    if (!retryDue) {
      execute(step);
    }
  }

  /**
   * The one place that takes any exception: what a store can throw is not known here, a plan must
   * not stop for good because a disk was full, and every command may be repeated.
   */
  private void execute(NodeControl.Step step) {
    for (Command command : step.commands()) {
      try {
        command.execute(execution);
        if (command instanceof Command.Serve || command instanceof Command.Pause) {
          begun.countDown();
        }
      } catch (InterruptException closing) {
        throw closing;
      } catch (RuntimeException e) {
        failures.increment();
        failing = command.getClass().getSimpleName() + ": " + e.getMessage();
        retryDue = true;
        retryAt = System.nanoTime() + RETRY_AFTER.toNanos();
        log.error(
            "node={} epoch={} command={} state=FAILED retry={}",
            state.node(),
            state.epoch(),
            command.getClass().getSimpleName(),
            RETRY_AFTER,
            e);
        answer(command, e);
        return;
      }
    }
    failing = null;
    failingDuty.succeeded();
  }

  /** An operator has to know of a duty that fails for long: the plan waits for this node. */
  private void answer(Command command, RuntimeException failure) {
    boolean isFull = failure instanceof StorageException storage && storage.isFull();
    ControlRecord owed =
        failingDuty.failed(
            state,
            command,
            String.valueOf(failure.getMessage()),
            isFull,
            System.nanoTime() / 1_000);
    if (owed == null) {
      return;
    }
    try {
      execution.answer(owed);
      failingDuty.answered();
      log.warn("node={} duty={} state=ANSWERED", state.node(), owed.getDutyFailed().getDuty());
    } catch (InterruptException closing) {
      throw closing;
    } catch (RuntimeException unanswered) {
      // The next failure, one retry later, answers.
      log.warn("node={} state=UNANSWERED", state.node(), unanswered);
    }
  }

  /**
   * Waits until the first command to serve or to refuse requests was executed; false after {@code
   * max}. A read log does not suffice: a command may have failed, and the store's own fence knows
   * neither the plan nor whether its writes are watched.
   */
  boolean awaitBegun(Duration max) throws InterruptedException {
    return begun.await(max.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void logChange(ControlState next) {
    if (next.epoch() != state.epoch() || next.isFenced() != state.isFenced()) {
      log.info(
          "node={} epoch={} state={}",
          next.node(),
          next.epoch(),
          next.isFenced() ? "PAUSED" : "SERVING");
    }
  }

  /** The command that fails, and why, while it is repeated; null: none does. By any thread. */
  @Nullable String failing() {
    return failing;
  }

  /** Records taken. */
  long steps() {
    return steps.sum();
  }

  /** Commands that failed. */
  long failures() {
    return failures.sum();
  }
}
