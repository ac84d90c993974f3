package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.SnapshotBackend;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotMachine;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import io.palinode.orchestrator.snapshot.SnapshotSettings;
import io.palinode.orchestrator.state.AppendFailure;
import io.palinode.orchestrator.state.ControlLogState;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotStep;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts snapshot requests: the machine under one lock, fed by the control log and a 100 ms clock.
 * Thread-safe. Appends do not wait for the log.
 */
final class SnapshotRequests implements SnapshotBackend, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SnapshotRequests.class);
  private static final Duration TICK = Duration.ofMillis(100);

  /** Longer than an append takes to succeed or fail. */
  private static final Duration READ_MAX = Orchestrator.APPEND_MAX.multipliedBy(2);

  /** The wait after a step that the log cannot take. */
  private static final long RETRY_MICROS = 10_000_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final SnapshotMachine machine;
  private final AwaitedSteps awaited = new AwaitedSteps();
  private ControlLogState rollbacks;

  /** No step is written before this time. */
  private long retryMicros;

  private volatile @Nullable String trouble;

  /** Only for the clock's thread. */
  private boolean ticksFail;

  private final LongSupplier wallMicros;
  private final Consumer<ControlRecord> append;
  private final Runnable requireWorking;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "palinode-snapshots");
            thread.setDaemon(true);
            return thread;
          });

  SnapshotRequests(
      SnapshotSettings settings,
      LongSupplier wallMicros,
      Consumer<ControlRecord> append,
      Runnable requireWorking) {
    this.machine = new SnapshotMachine(settings);
    this.rollbacks = ControlLogState.empty(settings.nodes());
    this.wallMicros = wallMicros;
    this.append = append;
    this.requireWorking = requireWorking;
  }

  /** Reads the next record of the control log. */
  void read(ControlRecord record) {
    if (record.hasSnapshot()) {
      locked(
          () -> {
            write(machine.read(record.getSnapshot(), record.getAtMicros(), wallMicros.getAsLong()));
            awaited.read(record.getSnapshot());
            trouble = null;
            changed.signalAll();
          });
    } else {
      locked(() -> follow(record));
    }
  }

  private void follow(ControlRecord record) {
    rollbacks = rollbacks.read(record);
    machine.follow(rollbacks);
  }

  /** The log has been read up to its end; steps are written from here on. */
  void start() {
    locked(() -> write(machine.caughtUp(wallMicros.getAsLong())));
    var unused =
        clock.scheduleWithFixedDelay(
            this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A failed tick must not end the clock. */
  private void tick() {
    try {
      locked(this::writeDue);
      ticksFail = false;
    } catch (RuntimeException e) {
      if (!ticksFail) {
        // Logged once, not at every tick.
        log.error("snapshots=FAILED", e);
      }
      ticksFail = true;
    }
  }

  private void writeDue() {
    long now = wallMicros.getAsLong();
    if (now >= retryMicros) {
      List<SnapshotStep> due = machine.tick(now);
      if (due.isEmpty()) {
        trouble = null;
      }
      write(due);
    }
  }

  /**
   * Opens a snapshot and returns when the log holds it.
   *
   * @throws RefusedException if it cannot be opened
   * @throws UnavailableException if the log does not take it in time
   */
  @Override
  public Snapshot take(SnapshotRequest request) throws RefusedException {
    requireWorking.run();
    lock.lock();
    try {
      SnapshotStep step = machine.request(request, wallMicros.getAsLong());
      String id = step.getOpened().getSnapshot().getId();
      writeAndAwait(step, "the request for snapshot '" + id + "'");
      return opened(step);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Appends a step and returns when the log holds it. Call under the lock, which it releases while
   * it waits.
   *
   * @throws RefusedException if the log cannot hold it
   * @throws UnavailableException if Kafka refuses it, or does not acknowledge it in time
   */
  private void writeAndAwait(SnapshotStep step, String what) throws RefusedException {
    AwaitedSteps.Waiting waiting = awaited.await(step);
    try {
      write(List.of(step));
      for (long left = READ_MAX.toNanos(); !waiting.isRead(); left = changed.awaitNanos(left)) {
        OperatorAppends.Failed failed = waiting.failed();
        if (failed != null) {
          failed.requireTransient(what);
        }
        if (failed != null || left <= 0) {
          machine.failed(step);
          throw new UnavailableException(
              "it is not known whether %s is in the control log, Kafka did not acknowledge it in time: 'palinode snapshot list' shows it when Kafka answers"
                  .formatted(what));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while the control log was written", e);
    } finally {
      awaited.leave(step);
    }
  }

  /** The snapshot of this number. It may have ended, and another run may have its name. */
  private Snapshot opened(SnapshotStep step) {
    String id = step.getOpened().getSnapshot().getId();
    Snapshot found = machine.get(id);
    if (found == null) {
      throw new UnavailableException("snapshot '" + id + "' was deleted while it was opened");
    }
    return found;
  }

  /** Reads a violation found after the replay. */
  void violationFound(long violate) {
    locked(() -> write(machine.violationFound(violate, wallMicros.getAsLong())));
  }

  /** Returns when the log holds it; throws as {@link #take}. */
  @Override
  public void schedule(Schedule wanted) throws RefusedException {
    requireWorking.run();
    lock.lock();
    try {
      writeAndAwait(machine.schedule(wanted), "the schedule of snapshots");
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Schedule schedule() {
    lock.lock();
    try {
      return machine.schedule();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void cancel(String id) throws RefusedException {
    requireWorking.run();
    lock.lock();
    try {
      writeAndAwait(machine.cancel(id), "the cancel of snapshot '" + id + "'");
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void delete(String id) throws RefusedException {
    requireWorking.run();
    lock.lock();
    try {
      writeAndAwait(machine.delete(id), "the removal of snapshot '" + id + "'");
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<Snapshot> all() {
    lock.lock();
    try {
      return machine.all();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable Snapshot get(String id) {
    lock.lock();
    try {
      return machine.get(id);
    } finally {
      lock.unlock();
    }
  }

  /** See {@link SnapshotMachine#roll}. */
  @Override
  public @Nullable Snapshot roll(String id) {
    lock.lock();
    try {
      return machine.roll(id);
    } finally {
      lock.unlock();
    }
  }

  /** Notes a failed append; the machine repeats the step when it is due. Never blocks. */
  void appendFailed(SnapshotStep step, AppendFailure failure, String reason) {
    log.warn("snapshot step={} not written: {}", step.getStepCase(), reason);
    try {
      // The producer's thread must not wait for a lock whose owner waits for the producer.
      clock.execute(() -> locked(() -> failed(step, failure, reason)));
    } catch (RejectedExecutionException closed) {
      log.debug("snapshots=CLOSED");
    }
  }

  private void failed(SnapshotStep step, AppendFailure failure, String reason) {
    boolean isAsked = awaited.failed(step, failure, reason);
    machine.failed(step);
    changed.signalAll();
    if (!isAsked && failure.isPermanent()) {
      retryMicros = wallMicros.getAsLong() + RETRY_MICROS;
      trouble =
          "the control log takes no %s of a snapshot, and tries again: %s"
              .formatted(step.getStepCase(), reason);
    }
  }

  /** The step that cannot be written, and the reason; null: none. */
  @Nullable String trouble() {
    return trouble;
  }

  private void write(List<SnapshotStep> steps) {
    for (SnapshotStep step : steps) {
      log(step);
      append.accept(
          ControlRecord.newBuilder().setAtMicros(wallMicros.getAsLong()).setSnapshot(step).build());
    }
  }

  private static void log(SnapshotStep step) {
    if (step.hasOpened()
        || step.hasClosed()
        || step.hasDeleted()
        || step.hasSchedule()
        || step.hasGivenUp()) {
      log.info("snapshot step={} {}", step.getStepCase(), step.toString().replaceAll("\\s+", " "));
    }
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
