package io.palinode.orchestrator.alert;

import java.util.concurrent.atomic.LongAdder;

/** The delivery counts of one kind of destination. Thread-safe. */
public final class AlertCounts {
  private final LongAdder sent = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder retried = new LongAdder();

  /** Delivered. */
  public long sent() {
    return sent.sum();
  }

  /** Not delivered, after all attempts. */
  public long failed() {
    return failed.sum();
  }

  /** Never tried: the queue was full, or closing. */
  public long dropped() {
    return dropped.sum();
  }

  /** Posts after the first one of a body. */
  public long retried() {
    return retried.sum();
  }

  void addRetried() {
    retried.increment();
  }

  void addSent(int alerts) {
    sent.add(alerts);
  }

  void addFailed(int alerts) {
    failed.add(alerts);
  }

  void addDropped(int alerts) {
    dropped.add(alerts);
  }
}
