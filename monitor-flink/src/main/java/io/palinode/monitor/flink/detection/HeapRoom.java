package io.palinode.monitor.flink.detection;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.function.Supplier;

/**
 * Whether the heap has room for a further interval. It looks at most once a millisecond. What is in
 * use may be garbage, so before it refuses it asks for a collection, at most every 30 s. Not
 * thread-safe.
 */
final class HeapRoom {
  /** Above it, an interval is long: most of it are keys and clocks, which clients select. */
  private static final int LONG_BYTES = 4 << 10;

  /** Long intervals may fill less, so that they leave room for the others. */
  private static final double LONG_SHARE = 0.8;

  private static final long LOOK_EVERY_NANOS = 1_000_000;
  private static final long COLLECT_EVERY_NANOS = 30_000_000_000L;

  private final Supplier<MemoryUsage> used;
  private final Runnable collect;
  private final double shareMax;
  private long lookedNanos;
  private long collectedNanos;
  private double share;

  HeapRoom(Supplier<MemoryUsage> used, Runnable collect, double shareMax) {
    this.used = used;
    this.collect = collect;
    this.shareMax = shareMax;
    this.lookedNanos = System.nanoTime() - LOOK_EVERY_NANOS;
    this.collectedNanos = System.nanoTime() - COLLECT_EVERY_NANOS;
  }

  /** Of this process: the part of the heap with the objects that survived some collections. */
  static HeapRoom ofProcess(double shareMax) {
    // No other pool of the heap supports usage thresholds.
    MemoryPoolMXBean old =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
            .findFirst()
            .orElseThrow();
    return new HeapRoom(old::getUsage, System::gc, shareMax);
  }

  /** Returns whether an interval of so many bytes may be kept. */
  boolean isFor(int bytes) {
    long now = System.nanoTime();
    if (now - lookedNanos >= LOOK_EVERY_NANOS) {
      lookedNanos = now;
      look();
    }
    double most = bytes > LONG_BYTES ? LONG_SHARE * shareMax : shareMax;
    if (share > most && now - collectedNanos >= COLLECT_EVERY_NANOS) {
      collectedNanos = now;
      collect.run();
      look();
    }
    return share <= most;
  }

  private void look() {
    MemoryUsage now = used.get();
    share = (double) now.getUsed() / now.getMax();
  }
}
