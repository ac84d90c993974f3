package io.palinode.monitor.flink.detection;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Whether the heap has room for a further interval. It adds what it accepted since the last
 * collection, which is not yet in the part that it looks at. It looks at most once a millisecond.
 * What is in use may be garbage, so before it refuses it asks for a collection, at most every 30 s.
 * Not thread-safe.
 */
final class HeapRoom {
  /** Above it, an interval is long: most of it are keys and clocks, which clients select. */
  private static final int LONG_BYTES = 4 << 10;

  /** Long intervals may fill less, since they grow when packed and leave room for the others. */
  private static final double LONG_SHARE = 0.6;

  /**
   * An interval takes some five times the bytes of its record: packed, as text and for phantoms.
   */
  private static final int COPIES = 6;

  private static final long LOOK_EVERY_NANOS = 1_000_000;
  private static final long COLLECT_EVERY_NANOS = 30_000_000_000L;

  private final Supplier<MemoryUsage> used;
  private final LongSupplier collections;
  private final Runnable collect;
  private final double shareMax;
  private long lookedNanos;
  private long collectedNanos;
  private long collectionsSeen;

  /** Bytes of the intervals that were accepted since then. */
  private long accepted;

  private MemoryUsage inUse;

  HeapRoom(
      Supplier<MemoryUsage> used, LongSupplier collections, Runnable collect, double shareMax) {
    this.used = used;
    this.collections = collections;
    this.collect = collect;
    this.shareMax = shareMax;
    this.lookedNanos = System.nanoTime() - LOOK_EVERY_NANOS;
    this.collectedNanos = System.nanoTime() - COLLECT_EVERY_NANOS;
    this.inUse = used.get();
  }

  /** Of this process: the part of the heap with the objects that survived some collections. */
  static HeapRoom ofProcess(double shareMax) {
    // No other pool of the heap supports usage thresholds.
    MemoryPoolMXBean old =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
            .findFirst()
            .orElseThrow();
    List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    return new HeapRoom(
        old::getUsage,
        () -> collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum(),
        System::gc,
        shareMax);
  }

  /** Returns whether an interval may be kept whose record has so many bytes. */
  boolean isFor(int bytes) {
    long now = System.nanoTime();
    if (now - lookedNanos >= LOOK_EVERY_NANOS) {
      lookedNanos = now;
      look();
    }
    double most = bytes > LONG_BYTES ? LONG_SHARE * shareMax : shareMax;
    long more = (long) COPIES * bytes;
    if (share(more) > most && now - collectedNanos >= COLLECT_EVERY_NANOS) {
      collectedNanos = now;
      collect.run();
      look();
    }
    boolean fits = share(more) <= most;
    accepted += fits ? more : 0;
    return fits;
  }

  private double share(long more) {
    return (double) (inUse.getUsed() + accepted + more) / inUse.getMax();
  }

  private void look() {
    long now = collections.getAsLong();
    accepted = now == collectionsSeen ? accepted : 0;
    collectionsSeen = now;
    inUse = used.get();
  }
}
