package io.palinode.benchmarks.windowlog;

import com.sun.management.ThreadMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** What is in use on the heap and in buffers outside of it. */
final class Memory {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int COLLECTIONS_MAX = 10;

  private Memory() {}

  /** Runs the garbage collector. Returns the bytes in use after that. */
  static long collect() {
    long last = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS_MAX; i++) {
      System.gc();
      long now = used();
      // A buffer's memory goes a little after the buffer.
      if (i > 1 && Math.abs(now - last) < 1 << 16) {
        return now;
      }
      last = now;
    }
    return last;
  }

  private static long used() {
    long direct = 0;
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      direct += pool.getMemoryUsed();
    }
    return direct + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  static long allocatedByThisThread() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
