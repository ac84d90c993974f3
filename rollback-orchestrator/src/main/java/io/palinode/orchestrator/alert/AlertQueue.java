package io.palinode.orchestrator.alert;

import io.palinode.orchestrator.Alert;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded queue of alerts and a thread that delivers them in batches, in order. An offer never
 * blocks; an alert that does not fit is counted as dropped.
 */
final class AlertQueue implements AutoCloseable {
  static final int PRINTED_MAX = 50;
  private static final Logger log = LoggerFactory.getLogger(AlertQueue.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final BlockingQueue<Alert> queue;
  private final int batchMax;
  private final Delivery delivery;
  private final AlertCounts counts;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** Offered, and not yet delivered, failed or dropped. */
  private final AtomicInteger pending = new AtomicInteger();

  AlertQueue(String name, int queueMax, int batchMax, AlertCounts counts, Delivery delivery) {
    this.batchMax = batchMax;
    this.queue = new ArrayBlockingQueue<>(queueMax);
    this.counts = counts;
    this.delivery = delivery;
    this.thread = new Thread(this::run, name);
    this.thread.setDaemon(true);
  }

  /** Delivers a batch and returns whether it arrived. */
  interface Delivery {
    boolean deliver(List<Alert> batch, Pause pause) throws InterruptedException;
  }

  /** A wait that a close cuts short. */
  interface Pause {
    /** Returns false if the queue is closing; then no further attempt is made. */
    boolean sleep(Duration time) throws InterruptedException;
  }

  void start() {
    thread.start();
  }

  /** Returns false if the alert was dropped. */
  boolean offer(Alert alert) {
    pending.incrementAndGet();
    boolean isTaken = closing.getCount() > 0 && queue.offer(alert);
    if (!isTaken) {
      pending.decrementAndGet();
      counts.addDropped(1);
    }
    return isTaken;
  }

  /** Whether all that was offered has been delivered, failed or dropped. */
  boolean isIdle() {
    return pending.get() == 0;
  }

  /** Drops all further offers, and repeats no failed delivery. */
  void beginClose() {
    closing.countDown();
  }

  /** Delivers waiting alerts for at most 2 s and counts the rest as dropped. */
  @Override
  public void close() {
    beginClose();
    try {
      thread.join(CLOSE_MAX.toMillis());
      thread.interrupt();
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    List<Alert> batch = new ArrayList<>();
    try {
      while (closing.getCount() > 0 || !queue.isEmpty()) {
        take(batch);
        if (!batch.isEmpty()) {
          deliver(List.copyOf(batch));
          pending.addAndGet(-batch.size());
          batch.clear();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      counts.addDropped(batch.size() + queue.size());
      queue.clear();
    }
  }

  private void take(List<Alert> batch) throws InterruptedException {
    Alert first = queue.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
    if (first != null) {
      batch.add(first);
      queue.drainTo(batch, batchMax - 1);
    }
  }

  private void deliver(List<Alert> batch) throws InterruptedException {
    if (arrives(batch)) {
      counts.addSent(batch.size());
    } else {
      counts.addFailed(batch.size());
      // The last place where a person finds an alert that no destination took.
      batch.forEach(alert -> log.warn("not_delivered {}", ConsoleLine.of(alert)));
    }
  }

  private boolean arrives(List<Alert> batch) throws InterruptedException {
    try {
      return delivery.deliver(batch, this::pause);
    } catch (RuntimeException e) {
      // The caller's console may throw, which must not end later alerts.
      log.warn("alerts={} not delivered", batch.size(), e);
      return false;
    }
  }

  private boolean pause(Duration time) throws InterruptedException {
    return !closing.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }
}
