package io.palinode.store.hosted;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The direct memory of a process, which holds the window-logs. */
public final class DirectMemory {
  private static final long MIB = 1 << 20;

  private DirectMemory() {}

  /** The limit in bytes. */
  public static long max() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    // If not set, the limit equals that of the heap.
    return set > 0 ? set : Runtime.getRuntime().maxMemory();
  }

  /**
   * Throws {@link StartRefusedException} if the window-logs may exceed it: writes would then be
   * missed.
   */
  public static void requireRoom(int stores, long windowLogBytes, long max) {
    long wanted = stores * windowLogBytes;
    if (wanted > max) {
      throw new StartRefusedException(
          "the window-logs of %d stores may take %d MiB (windowLogBytes=%dMiB each), and this process has %d MiB of direct memory: lower windowLogBytes, or raise -XX:MaxDirectMemorySize"
              .formatted(stores, wanted / MIB, windowLogBytes / MIB, max / MIB));
    }
  }
}
