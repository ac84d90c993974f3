package io.palinode.store.hosted;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.binding.StoreBinding;
import io.palinode.store.kafka.ClusterMember;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The detector of a watched server. It joins in a separate thread, and retries until Kafka is
 * reachable. Thread-safe.
 */
public final class JoinedDetector {
  private static final Logger log = LoggerFactory.getLogger(JoinedDetector.class);
  private static final long RETRY_SECONDS = 5;

  private final NodeDetectorConfig config;
  private final MeterRegistry registry;
  private final LongSupplier epochMicros;
  private final Fuse fuse;
  private final CountDownLatch joined = new CountDownLatch(1);
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final AtomicBoolean missedUnreported = new AtomicBoolean();
  private final ExecutorService reporter =
      Executors.newSingleThreadExecutor(work -> daemon(work, "palinode-missed"));
  private volatile @Nullable StoreBinding joining;
  private volatile @Nullable ClusterMember monitor;

  /** The HLC of the first write that was missed before the join; 0: none was. */
  private final AtomicLong missedSince = new AtomicLong();

  private volatile @Nullable String notJoined;
  // The report may have failed when the fuse blew.
  private volatile boolean offReported;
  private @Nullable Thread joiner;

  public JoinedDetector(
      NodeDetectorConfig config, MeterRegistry registry, LongSupplier epochMicros, Fuse fuse) {
    this.config = config;
    this.registry = registry;
    this.epochMicros = epochMicros;
    this.fuse = fuse;
  }

  public static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Starts to join. Once. */
  public synchronized void start(StoreBinding binding, LocalSnapshots snapshots) {
    joining = binding;
    if (missedUnreported.get()) {
      noteMissed();
    }
    joiner = daemon(() -> join(binding, snapshots), "palinode-join");
    joiner.start();
  }

  private void join(StoreBinding binding, LocalSnapshots snapshots) {
    boolean isLogged = false;
    while (stopping.getCount() > 0) {
      try {
        ClusterMember started =
            ClusterMember.start(binding, snapshots, config, epochMicros, registry);
        became(started);
        notJoined = null;
        reportEarlier(started);
        joined.countDown();
        return;
      } catch (RuntimeException e) {
        String why = String.valueOf(e.getMessage());
        if (!why.equals(notJoined)) {
          log.error(
              "node={} state=NOT_JOINED, tried again every {} s: {}",
              binding.node(),
              RETRY_SECONDS,
              why,
              isLogged ? null : e);
          isLogged = true;
        }
        notJoined = why;
      }
      awaitRetry();
    }
  }

  private synchronized void became(ClusterMember started) {
    monitor = started;
  }

  /** Reports failures from before the join. */
  private void reportEarlier(ClusterMember started) {
    if (fuse.isBlown()) {
      started.giveUp(fuse.first());
    } else if (missedUnreported.getAndSet(false)) {
      long since = missedSince.get();
      if (since > 0) {
        started.publishGap(since);
      }
      started.missed();
    }
  }

  private void awaitRetry() {
    try {
      boolean unused = stopping.await(RETRY_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopping.countDown();
    }
  }

  /** Waits for the join. Returns false after {@code limit}, or if interrupted. */
  public boolean awaitJoined(Duration limit) {
    try {
      return joined.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Blows the fuse if a thread of the detector has ended, and joins again. Also repeats a failed
   * report of a blown fuse. Called periodically.
   */
  public void check(StoreBinding binding, LocalSnapshots snapshots) {
    ClusterMember now = monitor;
    if (now != null && blowIfEnded(fuse, now::isRunning, () -> stopping.getCount() == 0)) {
      joinAgain(now, () -> join(binding, snapshots));
    }
    if (fuse.isBlown() && !offReported) {
      turnOff();
    }
  }

  /**
   * Whether a thread of the detector has ended without a stop, as by an error: it publishes nothing
   * more, or reads no plans. A detector that joins later would not report the writes in between.
   */
  public static boolean blowIfEnded(
      Fuse fuse, BooleanSupplier isRunning, BooleanSupplier isStopping) {
    // In this order: a stop is visible before it ends a thread.
    if (isRunning.getAsBoolean() || isStopping.getAsBoolean()) {
      return false;
    }
    fuse.blow("a thread of its detector has ended");
    return true;
  }

  /**
   * Joins again in state OFF: otherwise the next plan would wait for a node that acknowledges
   * nothing.
   */
  private synchronized void joinAgain(ClusterMember ended, Runnable join) {
    Thread again =
        daemon(
            () -> {
              closeQuietly(ended);
              join.run();
            },
            "palinode-join");
    again.start();
    joiner = again;
    monitor = null;
  }

  private static void closeQuietly(ClusterMember ended) {
    try {
      ended.close();
    } catch (RuntimeException e) {
      log.error("agent state=CLOSE_FAILED", e);
    }
  }

  /**
   * Reports a missed write, now or after the join. The coverage gap then begins with the first one.
   */
  public void missed() {
    missedUnreported.set(true);
    noteMissed();
    report(
        now -> {
          if (missedUnreported.getAndSet(false)) {
            now.missed();
          }
        });
  }

  /** Before the start there is no clock: then the start notes it. */
  private void noteMissed() {
    StoreBinding awaiting = monitor == null ? joining : null;
    if (awaiting != null && missedSince.get() == 0) {
      missedSince.compareAndSet(0, awaiting.clock().tick().own());
    }
  }

  /** Returns false if the node has not joined yet. Returns before the gap is published. */
  public boolean publishGap(long sinceHlc) {
    ClusterMember now = monitor;
    if (now == null) {
      return false;
    }
    reporter.execute(() -> now.publishGap(sinceHlc));
    return true;
  }

  /** The hooks stay and observe nothing; a write in the node can still leave it. */
  public void turnOff() {
    report(now -> now.giveUp(fuse.first()));
    offReported = true;
  }

  /** In a separate thread: the report takes the node's lock, which a client's thread may hold. */
  private void report(Consumer<ClusterMember> what) {
    ClusterMember now = monitor;
    if (now != null) {
      reporter.execute(() -> what.accept(now));
    }
  }

  /** Stops the join, and closes the detector. */
  public synchronized void stop() {
    stopping.countDown();
    Thread joining = joiner;
    if (joining != null) {
      joining.interrupt();
    }
    ClusterMember now = monitor;
    if (now != null) {
      now.close();
      monitor = null;
    }
  }

  /** Ends the thread of reports. Call after {@link #stop}, when no hook reports any more. */
  public void endReports() {
    reporter.shutdown();
  }

  public boolean isJoined() {
    return joined.getCount() == 0;
  }

  /** Whether the detector has joined and all its threads run. */
  public boolean isRunning() {
    ClusterMember now = monitor;
    return isJoined() && now != null && now.isRunning();
  }

  /** Why the node has not joined yet; null if it has, or has not tried. */
  public @Nullable String notJoined() {
    return notJoined;
  }

  /** See {@link ClusterMember#controlFailure}. */
  public @Nullable String controlFailure() {
    ClusterMember now = monitor;
    return now == null ? null : now.controlFailure();
  }
}
