package io.palinode.detector.kafka;

import io.palinode.detector.LocalDetector;
import io.palinode.detector.ring.CandidateRing;
import io.palinode.detector.ring.Emission;
import io.palinode.detector.ring.Emission.Progress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that empties the ring into Kafka, and asks for progress in time. Progress goes through
 * the ring as candidates do, so that its place among them is decided once, under the store's write
 * lock. It outlives want of memory: what it could not send, it sends when there is some.
 */
final class CandidateEmitter {
  private static final Logger log = LoggerFactory.getLogger(CandidateEmitter.class);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final Duration UNPROMISED_EVERY = Duration.ofMillis(500);
  private static final int BATCH = 512;

  /** With so many records, a request costs less than they do. */
  static final int COMPANY = 64;

  private static final long NANOS_PER_MICRO = 1_000;

  private final LocalDetector detector;
  private final CandidateRing ring;
  private final CandidateWriter writer;
  private final ProgressPace pace;
  private final LongSupplier epochMicros;
  private final Thread thread;
  private volatile LongSupplier unpromisedMicros = () -> 0;
  private volatile BooleanSupplier isMachineBusy = BusyMachine.SHARED::isBusy;
  private volatile boolean closing;

  // Of the thread; there is room for all of a batch from the start.
  private final Deque<Emission> batch = new ArrayDeque<>(BATCH);
  private long lastProgress;
  private long lastCandidate;
  private long lastActivity;
  private long lastSent;
  private long lastUnpromised;
  private boolean bugSeen;

  /** Whether everything in the ring was given to the writer, and the thread ended with that. */
  private volatile boolean emptied;

  /**
   * @param epochMicros wall clock, microseconds since the epoch
   */
  CandidateEmitter(
      int node,
      LocalDetector detector,
      CandidateRing ring,
      CandidateWriter writer,
      ProgressPace pace,
      LongSupplier epochMicros) {
    this.detector = detector;
    this.ring = ring;
    this.writer = writer;
    this.pace = pace;
    this.epochMicros = epochMicros;
    this.thread = new Thread(this::run, "palinode-candidates-" + node);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(CandidateEmitter::stopped);
  }

  /** For how long the disk has refused the clock promise; 0: it does not. Before the start. */
  CandidateEmitter reporting(LongSupplier newUnpromisedMicros) {
    unpromisedMicros = newUnpromisedMicros;
    return this;
  }

  /** Whether requests should wait for more company. Before the start. */
  CandidateEmitter sparingIf(BooleanSupplier newIsMachineBusy) {
    isMachineBusy = newIsMachineBusy;
    return this;
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      lastProgress = System.nanoTime() - pace.idle().toNanos();
      lastCandidate = lastProgress - pace.busyFor().toNanos();
      lastActivity = lastProgress;
      lastSent = lastProgress;
      lastUnpromised = lastProgress - UNPROMISED_EVERY.toNanos();
      emit();
      emptied = true;
    } catch (InterruptedException | InterruptException closed) {
      Thread.currentThread().interrupt();
    }
  }

  /** Without progress from here the watermark stands still, so this shows. */
  private static void stopped(Thread thread, Throwable reason) {
    log.error("thread={} state=FAILED", thread.getName(), reason);
  }

  /** False when the thread has ended, which it does by itself only after a failure. */
  boolean isRunning() {
    return thread.isAlive();
  }

  private void emit() throws InterruptedException {
    while (!closing || !isAllWritten()) {
      try {
        emitOnce();
      } catch (OutOfMemoryError e) {
        if (closing) {
          throw e;
        }
        // What is not written is still here, and its time may be over soon.
        LockSupport.parkNanos(pace.idle().toNanos());
      }
    }
  }

  private boolean isAllWritten() {
    return batch.isEmpty() && ring.isEmpty();
  }

  private void emitOnce() throws InterruptedException {
    long now = System.nanoTime();
    // Not each time: the first write after this was asked wakes this thread.
    if (now - lastActivity >= pace.idle().toNanos() && detector.takeActivity()) {
      lastActivity = now;
    }
    long toWall = epochMicros.getAsLong() * NANOS_PER_MICRO - now;
    long due = pace.nextAt(lastProgress, lastCandidate, lastActivity, toWall);
    if (batch.isEmpty()) {
      ring.awaitEmission(closing ? 0 : due - now);
      awaitCompany(toWall);
    }
    now = System.nanoTime();
    if (now - due >= 0 && !closing) {
      // Only now: it goes with what has waited, and is no older.
      if (!detector.reportProgress()) {
        reportUnpromised(now);
      }
      lastProgress = now;
      bugSeen = bugSeen || logFirstFailure();
    }
    if (ring.drain(batch, BATCH - batch.size()) > 0) {
      lastSent = System.nanoTime();
    }
    writeBatch();
  }

  /** Else a node with a full disk would look like one that is down. */
  private void reportUnpromised(long now) {
    long micros = unpromisedMicros.getAsLong();
    if (micros > 0 && now - lastUnpromised >= UNPROMISED_EVERY.toNanos()) {
      lastUnpromised = now;
      writer.writeUnpromised(epochMicros.getAsLong() - micros);
    }
  }

  /** What was written, be it twice, is taken out; so nothing is lost when this breaks off. */
  private void writeBatch() {
    while (!batch.isEmpty()) {
      lastCandidate = writer.write(batch.element()) ? lastSent : lastCandidate;
      batch.remove();
    }
  }

  private void awaitCompany(long toWall) throws InterruptedException {
    if (closing || ring.size() >= BATCH) {
      return;
    }
    LockSupport.parkNanos(pace.nextSend(lastSent, toWall) - System.nanoTime());
    if (isMachineBusy.getAsBoolean()) {
      long most = pace.nextWhenBusy(lastSent, toWall);
      ring.awaitSize(COMPANY, most - System.nanoTime());
    }
  }

  private boolean logFirstFailure() {
    Throwable bug = detector.firstFailure();
    if (bug != null) {
      log.error("detector failures={} first:", detector.failures(), bug);
    }
    return bug != null;
  }

  /**
   * Sends the content of the ring within a bounded time. If all of it is sent, publishes {@code
   * Stopped}.
   *
   * @param last the last progress; null if {@code Stopped} must not be published
   */
  void close(@Nullable Progress last) {
    closing = true;
    try {
      thread.join(CLOSE_MAX.toMillis());
      thread.interrupt();
      thread.join(CLOSE_MAX.toMillis());
      boolean stopped = emptied && last != null && writer.writeStopped(last, CLOSE_MAX);
      log.info("thread={} state={}", thread.getName(), stopped ? "STOPPED" : "ENDED");
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}
