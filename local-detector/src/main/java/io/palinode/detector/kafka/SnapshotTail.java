package io.palinode.detector.kafka;

import io.palinode.detector.SnapshotAnswers;
import io.palinode.detector.SnapshotDuties;
import io.palinode.detector.SnapshotDuties.Duty;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotOpened;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a node's side of snapshots over the control log: each taking in a thread of its own, so that
 * neither plans nor other snapshots wait for it. The orchestrator bounds how many there are.
 */
final class SnapshotTail implements ControlListener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SnapshotTail.class);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  private final int node;
  private final SnapshotDuties duties;
  private final SnapshotAnswers answers;
  private final Set<Long> wanted = ConcurrentHashMap.newKeySet();
  private final AtomicInteger threads = new AtomicInteger();
  private final ExecutorService takings;
  private final LongAdder failures = new LongAdder();

  SnapshotTail(int node, SnapshotAnswers answers) {
    this.node = node;
    this.duties = new SnapshotDuties(node);
    this.answers = answers;
    this.takings =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread =
                  new Thread(
                      task,
                      "palinode-node-%d-snapshot-%d".formatted(node, threads.getAndIncrement()));
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public void onStep(ControlRecord step) {
    try {
      if (step.hasSnapshot()) {
        perform(duties.heard(step.getSnapshot()));
      }
    } catch (InterruptException closing) {
      throw closing;
    } catch (RuntimeException e) {
      // A bug over one snapshot must not end what plans depend on.
      failures.increment();
      log.error("node={} step={} refused", node, step.getSnapshot().getStepCase(), e);
    }
  }

  @Override
  public void onCaughtUp() {
    perform(duties.caughtUp());
  }

  private void perform(List<Duty> due) {
    for (Duty duty : due) {
      try {
        perform(duty);
      } catch (InterruptException closing) {
        throw closing;
      } catch (RuntimeException e) {
        // What is left behind is swept at the next start; what is missing fails where it is read.
        failures.increment();
        log.error("node={} duty={} state=FAILED", node, duty.getClass().getSimpleName(), e);
      }
    }
  }

  private void perform(Duty duty) {
    if (duty instanceof Duty.Take take) {
      wanted.add(take.order().getSnapshot().getNumber());
      takings.execute(() -> take(take.order()));
    } else if (duty instanceof Duty.Stop stop) {
      wanted.remove(stop.number());
    } else if (duty instanceof Duty.File file) {
      answers.file(file.manifest());
    } else if (duty instanceof Duty.Discard discard) {
      answers.discard(discard.id(), discard.number());
    } else if (duty instanceof Duty.Delete delete) {
      answers.delete(delete.id());
    } else if (duty instanceof Duty.Sweep sweep) {
      answers.sweep(sweep.wanted());
    }
  }

  /** The one place that takes any exception: what a store can throw is not known here. */
  private void take(SnapshotOpened order) {
    long number = order.getSnapshot().getNumber();
    String id = order.getSnapshot().getId();
    log.info("node={} snapshot={} number={} state=TAKING", node, id, number);
    try {
      answers.take(order, () -> wanted.contains(number));
    } catch (KafkaException notTold) {
      failures.increment();
      log.error("node={} snapshot={} number={} state=NOT_TOLD", node, id, number, notTold);
    } catch (RuntimeException e) {
      failures.increment();
      log.error("node={} snapshot={} number={} state=FAILED", node, id, number, e);
      answers.failed(number, e);
    }
    if (!wanted.remove(number)) {
      // Given up or cancelled while it was written: nothing will ever name it.
      answers.discard(id, number);
    }
  }

  /** Parts that could not be taken, filed or removed. */
  long failures() {
    return failures.sum();
  }

  /** Stops what is being taken. Never by an interrupt: it would close the store's files. */
  @Override
  public void close() {
    wanted.clear();
    takings.shutdown();
    try {
      if (!takings.awaitTermination(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("node={} a snapshot is still being taken", node);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
