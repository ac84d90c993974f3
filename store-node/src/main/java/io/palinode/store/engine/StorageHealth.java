package io.palinode.store.engine;

import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a node's storage works; logs each change, and times the retries of promises. Requests and
 * promises count separately: a nearly full disk may take a promise, which is small, between two
 * writes that it refuses. Thread-safe.
 */
public final class StorageHealth {
  /** The detector asks for promises every few milliseconds, between writes. */
  public static final long PROMISE_AGAIN_MICROS = 100_000;

  private static final int REASON_CHARS_MAX = 200;

  private static final Logger log = LoggerFactory.getLogger(StorageHealth.class);

  private final int node;
  private final Supplier<OptionalLong> freeBytes;
  private volatile boolean requestsFail;
  private volatile boolean promisesFail;

  /** Whether the engine refused the last promise, even if its spare room took it. */
  private volatile boolean promisesRefused;

  private volatile long refusedSinceMicros;
  private volatile String refusal = "";
  private volatile long promiseFailedMicros;
  private volatile long unpromisedSinceMicros;

  /**
   * @param freeBytes as {@link StorageEngine#freeBytes}
   */
  public StorageHealth(int node, Supplier<OptionalLong> freeBytes) {
    this.node = node;
    this.freeBytes = freeBytes;
  }

  public OptionalLong freeBytes() {
    return freeBytes.get();
  }

  public boolean works() {
    return !requestsFail && !promisesRefused;
  }

  public synchronized void requestFailed(StorageException e) {
    logFailed(e);
    requestsFail = true;
  }

  public void requestDone() {
    if (requestsFail) {
      requestsWork();
    }
  }

  private synchronized void requestsWork() {
    boolean before = works();
    requestsFail = false;
    logWorks(before);
  }

  /**
   * No medium took a promise.
   *
   * @param nowMicros any clock; setting it back delays no retry
   */
  public synchronized void promiseFailed(StorageException e, long nowMicros) {
    refused(e, nowMicros);
    promiseFailedMicros = nowMicros;
    unpromisedSinceMicros = promisesFail ? unpromisedSinceMicros : nowMicros;
    promisesFail = true;
  }

  /** The engine refused a promise, and its spare room took it. */
  public synchronized void promiseSpared(StorageException e, long nowMicros) {
    refused(e, nowMicros);
    promisesFail = false;
  }

  private void refused(StorageException e, long nowMicros) {
    logFailed(e);
    refusedSinceMicros = promisesRefused ? refusedSinceMicros : nowMicros;
    refusal = reason(e);
    promisesRefused = true;
  }

  public void promiseMade() {
    if (promisesRefused) {
      promisesWork();
    }
  }

  private synchronized void promisesWork() {
    boolean before = works();
    promisesFail = false;
    promisesRefused = false;
    logWorks(before);
  }

  /**
   * Whether the engine refused the last promise. A promise is small, so it refuses any write too.
   */
  public boolean isRefused() {
    return promisesRefused;
  }

  /** Since when and why the engine refuses; null if it took the last promise. */
  public @Nullable Refusal refusal() {
    return promisesRefused ? new Refusal(refusedSinceMicros, refusal) : null;
  }

  /** The message of the innermost cause, on one line. */
  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String text = String.valueOf(cause.getMessage()).replaceAll("\\s+", " ");
    return text.substring(0, Math.min(REASON_CHARS_MAX, text.length()));
  }

  /** The start and the reason of a refusal. */
  public record Refusal(long sinceMicros, String reason) {}

  /** Microseconds since promises fail; 0 if the last one did not. */
  public long unpromisedMicros(long nowMicros) {
    return promisesFail ? Math.max(1, nowMicros - unpromisedSinceMicros) : 0;
  }

  /** False shortly after a failure. */
  public boolean mayPromise(long nowMicros) {
    long since = nowMicros - promiseFailedMicros;
    return !promisesFail || since < 0 || since >= PROMISE_AGAIN_MICROS;
  }

  /** Logs once until the storage works again. */
  private void logFailed(StorageException e) {
    if (works()) {
      log.error("node={} phase=STORAGE_FAILED", node, e);
    }
  }

  private void logWorks(boolean before) {
    if (!before && works()) {
      log.info("node={} phase=STORAGE_WORKS", node);
    }
  }
}
