package io.palinode.voldemort.server;

import io.palinode.voldemort.StoreNode;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compacts a node's window-logs on disk, in a thread that mostly pauses. */
final class PastCompaction implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PastCompaction.class);
  private static final long LOOK_MS = 10_000;

  /** The share of time in which the thread works. */
  private static final double SHARE = 0.05;

  private static final long PAUSE_MS_MAX = 1_000;

  private final StoreNode node;
  private final long lookMs;
  private final double share;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private long workingSince;

  private PastCompaction(StoreNode node, long lookMs, double share) {
    this.node = node;
    this.lookMs = lookMs;
    this.share = share;
    this.thread = new Thread(this::run, "palinode-compaction-" + node.node());
    thread.setDaemon(true);
  }

  static PastCompaction start(StoreNode node) {
    return start(node, LOOK_MS, SHARE);
  }

  /**
   * Checks for work every {@code lookMs}.
   *
   * @param share the share of time in which it works; 1: without a pause
   */
  static PastCompaction start(StoreNode node, long lookMs, double share) {
    PastCompaction compaction = new PastCompaction(node, lookMs, share);
    compaction.thread.start();
    return compaction;
  }

  private void run() {
    try {
      while (!awaitsClose(lookMs)) {
        compact();
      }
    } catch (CancellationException | InterruptedException over) {
      log.debug("node={} phase=COMPACTION_ENDED", node.node());
    }
  }

  private void compact() {
    try {
      workingSince = System.nanoTime();
      while (closed.getCount() > 0 && node.past().compact(this::pause)) {
        log.info(
            "node={} phase=COMPACTED diskBytes={} exactFrom={}",
            node.node(),
            node.past().diskBytes(),
            node.reach());
      }
    } catch (CancellationException over) {
      throw over;
    } catch (RuntimeException e) {
      // The log is unchanged and continues; the next check retries.
      log.warn("node={} phase=COMPACTION_FAILED", node.node(), e);
    }
  }

  private void pause() {
    long work = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - workingSince);
    long pause = Math.min(PAUSE_MS_MAX, (long) (work * (1 / share - 1)));
    if (work > 0 || closed.getCount() == 0) {
      try {
        if (awaitsClose(pause)) {
          throw new CancellationException("the node is closed");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CancellationException("interrupted");
      }
      workingSince = System.nanoTime();
    }
  }

  private boolean awaitsClose(long ms) throws InterruptedException {
    return closed.await(ms, TimeUnit.MILLISECONDS);
  }

  /** Waits for the current piece of work. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
