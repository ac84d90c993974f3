package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.Journal;
import io.palinode.orchestrator.RefusedException;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.snapshot.Schedule;
import io.palinode.orchestrator.snapshot.Snapshot;
import io.palinode.orchestrator.snapshot.SnapshotMachine;
import io.palinode.orchestrator.snapshot.SnapshotRequest;
import io.palinode.orchestrator.snapshot.SnapshotSettings;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotStep;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
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
 * Where snapshots are asked for: the machine behind one lock, fed by the control log and by a clock
 * that ticks ten times a second. Thread-safe; appending does not wait for the log.
 */
final class SnapshotDesk implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SnapshotDesk.class);
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration READ_MAX = Duration.ofSeconds(10);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final SnapshotMachine machine;
  private Journal rollbacks;

  /** Of the clock's thread. */
  private boolean ticksFail;

  private final LongSupplier wallMicros;
  private final Consumer<ControlRecord> append;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "palinode-snapshots");
            thread.setDaemon(true);
            return thread;
          });

  SnapshotDesk(SnapshotSettings settings, LongSupplier wallMicros, Consumer<ControlRecord> append) {
    this.machine = new SnapshotMachine(settings);
    this.rollbacks = Journal.empty(settings.nodes());
    this.wallMicros = wallMicros;
    this.append = append;
  }

  /** The next record of the control log. */
  void read(ControlRecord record) {
    if (record.hasSnapshot()) {
      locked(
          () -> {
            write(machine.read(record.getSnapshot(), record.getAtMicros(), wallMicros.getAsLong()));
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

  /** The log is read up to its end: what is due is written from now on. */
  void start() {
    locked(() -> write(machine.caughtUp(wallMicros.getAsLong())));
    var unused =
        clock.scheduleWithFixedDelay(
            this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A tick that fails must not be the last one. */
  private void tick() {
    try {
      locked(() -> write(machine.tick(wallMicros.getAsLong())));
      ticksFail = false;
    } catch (RuntimeException e) {
      if (!ticksFail) {
        // Once, not ten times a second.
        log.error("snapshots=FAILED", e);
      }
      ticksFail = true;
    }
  }

  /**
   * Opens a snapshot, and returns when the log has it.
   *
   * @throws RefusedException when it cannot be
   * @throws UnavailableException when the log does not take it in time
   */
  Snapshot request(SnapshotRequest request) throws RefusedException {
    lock.lock();
    try {
      SnapshotStep step = machine.request(request, wallMicros.getAsLong());
      long number = step.getOpened().getSnapshot().getNumber();
      write(List.of(step));
      for (long left = READ_MAX.toNanos(); !machine.isRead(number); ) {
        if (left <= 0) {
          machine.failed(step);
          throw new UnavailableException(
              "the control log did not take the snapshot in " + READ_MAX);
        }
        left = changed.awaitNanos(left);
      }
      return opened(step);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted while the control log was written", e);
    } finally {
      lock.unlock();
    }
  }

  /** It may be over already, and another taking stand in its place. */
  private Snapshot opened(SnapshotStep step) {
    String id = step.getOpened().getSnapshot().getId();
    Snapshot found = machine.get(id);
    if (found == null) {
      throw new UnavailableException("snapshot '" + id + "' was deleted while it was opened");
    }
    return found;
  }

  /** A violation was found, by a log that is read up to its end. */
  void violationFound(long violate) {
    locked(() -> write(machine.violationFound(violate, wallMicros.getAsLong())));
  }

  void schedule(Schedule wanted) {
    locked(() -> write(List.of(machine.schedule(wanted))));
  }

  Schedule schedule() {
    lock.lock();
    try {
      return machine.schedule();
    } finally {
      lock.unlock();
    }
  }

  void cancel(String id) throws RefusedException {
    lock.lock();
    try {
      write(List.of(machine.cancel(id)));
    } finally {
      lock.unlock();
    }
  }

  void delete(String id) throws RefusedException {
    lock.lock();
    try {
      write(List.of(machine.delete(id)));
    } finally {
      lock.unlock();
    }
  }

  List<Snapshot> all() {
    lock.lock();
    try {
      return machine.all();
    } finally {
      lock.unlock();
    }
  }

  @Nullable Snapshot get(String id) {
    lock.lock();
    try {
      return machine.get(id);
    } finally {
      lock.unlock();
    }
  }

  /** See {@link SnapshotMachine#roll}. */
  @Nullable Snapshot roll(String id) {
    lock.lock();
    try {
      return machine.roll(id);
    } finally {
      lock.unlock();
    }
  }

  /** An append failed; the machine asks again when it is still due. Never blocks for long. */
  void appendFailed(SnapshotStep step, String reason) {
    log.warn("snapshot step={} not written: {}", step.getStepCase(), reason);
    locked(() -> machine.failed(step));
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
