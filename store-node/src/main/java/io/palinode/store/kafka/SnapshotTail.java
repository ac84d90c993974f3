package io.palinode.store.kafka;

import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.retroscope.snapshot.file.StrangeSnapshotsException;
import io.palinode.store.snapshot.SnapshotAnswers;
import io.palinode.store.snapshot.SnapshotDuties;
import io.palinode.store.snapshot.SnapshotDuties.Duty;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.SnapshotClosed;
import io.palinode.wire.v1.SnapshotOpened;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out a node's snapshot duties. Takes each part in its own thread, so that neither plans
 * nor other snapshots wait for it. The orchestrator bounds the number of snapshots.
 */
final class SnapshotTail implements ControlListener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SnapshotTail.class);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

  private final int node;
  private final SnapshotDuties duties;
  private final SnapshotAnswers answers;
  private final Set<Long> wanted = ConcurrentHashMap.newKeySet();
  private volatile boolean closing;
  private final AtomicInteger threads = new AtomicInteger();
  private final ExecutorService takings;
  private final LongAdder failures = new LongAdder();
  // By name. Used by the thread that reads the log, as is the next field.
  private final Map<String, SnapshotClosed> unfiled = new HashMap<>();
  private @Nullable String strange;

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
      fileAgain();
      if (step.hasSnapshot()) {
        perform(duties.apply(step.getSnapshot()));
      }
    } catch (InterruptException closed) {
      throw closed;
    } catch (RuntimeException e) {
      // A bug in one snapshot must not end the thread that plans depend on.
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
      } catch (InterruptException closed) {
        throw closed;
      } catch (RuntimeException e) {
        // The next start removes leftover files; a missing file fails when it is read.
        failures.increment();
        log.error("node={} duty={} state=FAILED", node, duty.getClass().getSimpleName(), e);
      }
    }
  }

  private void perform(Duty duty) {
    if (duty instanceof Duty.Take take) {
      begin(take.order());
    } else if (duty instanceof Duty.Stop stop) {
      wanted.remove(stop.number());
    } else if (strange == null) {
      performOnFiles(duty);
    }
  }

  private void performOnFiles(Duty duty) {
    if (duty instanceof Duty.File file) {
      file(file.manifest());
    } else if (duty instanceof Duty.Discard discard) {
      answers.discard(discard.id(), discard.number());
    } else if (duty instanceof Duty.Delete delete) {
      unfiled.remove(delete.id());
      answers.delete(delete.id());
    } else if (duty instanceof Duty.Sweep sweep) {
      sweep(sweep);
    }
  }

  private void sweep(Duty.Sweep sweep) {
    try {
      answers.sweep(sweep.wanted(), sweep.last());
    } catch (StrangeSnapshotsException e) {
      strange = String.valueOf(e.getMessage());
      throw e;
    }
  }

  private void file(SnapshotClosed manifest) {
    String id = manifest.getSnapshot().getId();
    unfiled.put(id, manifest);
    answers.file(manifest);
    unfiled.remove(id);
  }

  /** A disk that was full may have room by now: about once a second, as the log grows. */
  private void fileAgain() {
    for (SnapshotClosed manifest : List.copyOf(unfiled.values())) {
      try {
        file(manifest);
      } catch (SnapshotException still) {
        log.debug("node={} snapshot={} state=UNFILED", node, manifest.getSnapshot(), still);
      }
    }
  }

  private void begin(SnapshotOpened order) {
    long number = order.getSnapshot().getNumber();
    if (strange != null) {
      answers.failed(number, strange);
      return;
    }
    wanted.add(number);
    takings.execute(() -> take(order));
  }

  /** The one place that catches any failure: a store may throw any. */
  private void take(SnapshotOpened order) {
    long number = order.getSnapshot().getNumber();
    String id = order.getSnapshot().getId();
    log.info("node={} snapshot={} number={} state=TAKING", node, id, number);
    try {
      answers.take(order, () -> isWanted(number));
    } catch (CancellationException closed) {
      log.info("node={} snapshot={} number={} state=LEFT", node, id, number);
    } catch (KafkaException unpublished) {
      failures.increment();
      log.error("node={} snapshot={} number={} state=NOT_PUBLISHED", node, id, number, unpublished);
    } catch (RuntimeException | Error e) {
      failures.increment();
      log.error("node={} snapshot={} number={} state=FAILED", node, id, number, e);
      answers.failed(number, String.valueOf(e));
    }
    if (!wanted.remove(number)) {
      // Given up or cancelled while it was written: no manifest will name it.
      answers.discard(id, number);
    }
  }

  /** A node that stops publishes no result: it takes owed parts after its restart. */
  private boolean isWanted(long number) {
    if (closing) {
      throw new CancellationException("the node stops");
    }
    return wanted.contains(number);
  }

  /** Parts that could not be taken, filed or removed. */
  long failures() {
    return failures.sum();
  }

  /** Stops all takings. Never by an interrupt: it would close the store's files. */
  @Override
  public void close() {
    closing = true;
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
