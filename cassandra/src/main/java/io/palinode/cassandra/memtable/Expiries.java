package io.palinode.cassandra.memtable;

import io.palinode.store.hosted.JoinedDetector;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.cassandra.utils.FBUtilities;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at keys when their TTL has ended, which is no mutation. Thread-safe. */
final class Expiries {
  private static final Logger log = LoggerFactory.getLogger(Expiries.class);
  private static final int PENDING_MAX = 100_000;

  /** A cell has ended once its second has begun by the clock of this server. */
  private static final long MARGIN_SECONDS = 1;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> JoinedDetector.daemon(work, "palinode-expiry"));
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicBoolean full = new AtomicBoolean();

  /** Runs {@code look} once {@code second} has begun. Beyond the limit it does not. */
  void at(long second, Runnable look) {
    if (pending.incrementAndGet() > PENDING_MAX) {
      pending.decrementAndGet();
      if (full.compareAndSet(false, true)) {
        log.warn("expiries={} state=FULL, further TTLs end with the next write", PENDING_MAX);
      }
      return;
    }
    long wait = Math.max(0, second - FBUtilities.nowInSeconds()) + MARGIN_SECONDS;
    var unused =
        thread.schedule(
            () -> {
              pending.decrementAndGet();
              look.run();
            },
            wait,
            TimeUnit.SECONDS);
  }
}
