package io.palinode.voldemort;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a node's storage does what it is asked, told to operators when it changes; and when a
 * promise that it refused is tried again. Of requests and of promises apart: a disk that is nearly
 * full may take a promise, which is small, between two writes that it refuses. Thread-safe.
 */
final class StorageHealth {
  /** Promises are asked for each few milliseconds, in the writes' turn. */
  static final long PROMISE_AGAIN_MICROS = 100_000;

  private static final Logger log = LoggerFactory.getLogger(StorageHealth.class);

  private final int node;
  private volatile boolean requestsFail;
  private volatile boolean promisesFail;
  private volatile long promiseFailedMicros;
  private volatile long unpromisedSinceMicros;

  StorageHealth(int node) {
    this.node = node;
  }

  boolean works() {
    return !requestsFail && !promisesFail;
  }

  synchronized void requestFailed(StorageException e) {
    tellFailed(e);
    requestsFail = true;
  }

  void requestDone() {
    if (requestsFail) {
      requestsWork();
    }
  }

  private synchronized void requestsWork() {
    boolean before = works();
    requestsFail = false;
    tellWorks(before);
  }

  /**
   * @param nowMicros any clock; one that is set back delays nothing
   */
  synchronized void promiseFailed(StorageException e, long nowMicros) {
    tellFailed(e);
    promiseFailedMicros = nowMicros;
    unpromisedSinceMicros = promisesFail ? unpromisedSinceMicros : nowMicros;
    promisesFail = true;
  }

  void promiseMade() {
    if (promisesFail) {
      promisesWork();
    }
  }

  private synchronized void promisesWork() {
    boolean before = works();
    promisesFail = false;
    tellWorks(before);
  }

  /** For how long promises have failed; 0: the last one did not. */
  long unpromisedMicros(long nowMicros) {
    return promisesFail ? Math.max(1, nowMicros - unpromisedSinceMicros) : 0;
  }

  /** Not soon after one that failed. */
  boolean mayPromise(long nowMicros) {
    long since = nowMicros - promiseFailedMicros;
    return !promisesFail || since < 0 || since >= PROMISE_AGAIN_MICROS;
  }

  /** Once, not for each request until it works again. */
  private void tellFailed(StorageException e) {
    if (works()) {
      log.error("node={} phase=STORAGE_FAILED", node, e);
    }
  }

  private void tellWorks(boolean before) {
    if (!before && works()) {
      log.info("node={} phase=STORAGE_WORKS", node);
    }
  }
}
