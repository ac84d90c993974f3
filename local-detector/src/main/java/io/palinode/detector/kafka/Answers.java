package io.palinode.detector.kafka;

import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Counts unanswered requests, and notes which partitions hold a record. Thread-safe. */
final class Answers {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition answered = lock.newCondition();
  private final int partitions;
  private final BitSet recordedIn = new BitSet();
  private long awaited;

  Answers(int partitions) {
    this.partitions = partitions;
  }

  void asked() {
    lock.lock();
    try {
      awaited++;
    } finally {
      lock.unlock();
    }
  }

  void taken(int partition) {
    lock.lock();
    try {
      recordedIn.set(partition);
      answer();
    } finally {
      lock.unlock();
    }
  }

  void refused() {
    lock.lock();
    try {
      answer();
    } finally {
      lock.unlock();
    }
  }

  private void answer() {
    awaited--;
    answered.signalAll();
  }

  /** Waits until all requests are answered; false after {@code max}. */
  boolean awaitAll(Duration max) throws InterruptedException {
    return await(() -> awaited == 0, max);
  }

  /** Waits until every partition holds a record; false after {@code max}. */
  boolean awaitEachPartition(Duration max) throws InterruptedException {
    return await(() -> recordedIn.cardinality() == partitions, max);
  }

  private boolean await(BooleanSupplier done, Duration max) throws InterruptedException {
    lock.lock();
    try {
      for (long left = max.toNanos(); !done.getAsBoolean(); ) {
        if (left <= 0) {
          return false;
        }
        left = answered.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
