package io.palinode.voldemort;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a node's storage does what it is asked, told to operators when it changes; and when a
 * promise that it refused is tried again. Of requests and of promises apart: a disk that is nearly
 * full may take a promise, which is small, between two writes that it refuses. Thread-safe.
 */
public final class StorageHealth {
  /** Promises are asked for each few milliseconds, in the writes' turn. */
  static final long PROMISE_AGAIN_MICROS = 100_000;

  private static final int REASON_CHARS_MAX = 200;

  private static final Logger log = LoggerFactory.getLogger(StorageHealth.class);

  private final int node;
  private volatile boolean requestsFail;
  private volatile boolean promisesFail;

  /** The engine refused the last promise, whether or not its spare room took it. */
  private volatile boolean promisesRefused;

  private volatile long refusedSinceMicros;
  private volatile String refusal = "";
  private volatile long promiseFailedMicros;
  private volatile long unpromisedSinceMicros;

  StorageHealth(int node) {
    this.node = node;
  }

  boolean works() {
    return !requestsFail && !promisesRefused;
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
   * No medium took the promise.
   *
   * @param nowMicros any clock; one that is set back delays nothing
   */
  synchronized void promiseFailed(StorageException e, long nowMicros) {
    refused(e, nowMicros);
    promiseFailedMicros = nowMicros;
    unpromisedSinceMicros = promisesFail ? unpromisedSinceMicros : nowMicros;
    promisesFail = true;
  }

  /** The engine refused the promise, and its spare room took it. */
  synchronized void promiseSpared(StorageException e, long nowMicros) {
    refused(e, nowMicros);
    promisesFail = false;
  }

  private void refused(StorageException e, long nowMicros) {
    tellFailed(e);
    refusedSinceMicros = promisesRefused ? refusedSinceMicros : nowMicros;
    refusal = reason(e);
    promisesRefused = true;
  }

  void promiseMade() {
    if (promisesRefused) {
      promisesWork();
    }
  }

  private synchronized void promisesWork() {
    boolean before = works();
    promisesFail = false;
    promisesRefused = false;
    tellWorks(before);
  }

  /** Whether the engine refused the last promise, which is small, so any write too. */
  boolean isRefused() {
    return promisesRefused;
  }

  /** Since when the engine refuses, and why; null: it took the last promise. */
  @Nullable Refusal refusal() {
    return promisesRefused ? new Refusal(refusedSinceMicros, refusal) : null;
  }

  /** The innermost reason, on one line. */
  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String text = String.valueOf(cause.getMessage()).replaceAll("\\s+", " ");
    return text.substring(0, Math.min(REASON_CHARS_MAX, text.length()));
  }

  /** What the engine says when it refuses, and since when. */
  public record Refusal(long sinceMicros, String reason) {}

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
