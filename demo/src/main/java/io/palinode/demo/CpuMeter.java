package io.palinode.demo;

import com.sun.management.OperatingSystemMXBean;
import io.palinode.demo.report.CpuUse;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * The CPU time of this process since {@link #begin}, by part. A thread counts as it was at its last
 * {@link #sample}; what it used after that counts for {@link CpuUse.Part#OTHER}. For one thread.
 */
final class CpuMeter {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final MachineThreads machine = new MachineThreads();
  private final long processBefore = system.getProcessCpuTime();

  /** By Java's number of a thread, or below 0 by the system's. */
  private final Map<Long, Use> uses = new HashMap<>();

  /** What one thread used before the meter began, and up to the last sample. */
  private record Use(CpuUse.Part part, long before, long last) {}

  private CpuMeter() {}

  static CpuMeter begin() {
    CpuMeter meter = new CpuMeter();
    meter.sample(true);
    return meter;
  }

  /** Call this often: a thread that has ended is no longer there to be read. */
  void sample() {
    sample(false);
  }

  private void sample(boolean atBegin) {
    for (long id : threads.getAllThreadIds()) {
      sample(id, threads.getThreadCpuTime(id), atBegin);
    }
    for (long id : machine.ids()) {
      sample(-id, MachineThreads.cpuTime(id), atBegin);
    }
  }

  private void sample(long id, long nanos, boolean atBegin) {
    Use known = uses.get(id);
    if (nanos < 0) {
      return;
    }
    if (known != null) {
      uses.put(id, new Use(known.part, known.before, nanos));
      return;
    }
    CpuUse.Part part = id < 0 ? machine.part(-id) : part(id);
    uses.put(id, new Use(part, atBegin ? nanos : 0, nanos));
  }

  private CpuUse.Part part(long id) {
    ThreadInfo info = threads.getThreadInfo(id);
    return info == null ? CpuUse.Part.OTHER : CpuUse.Part.ofThread(info.getThreadName());
  }

  /** From the begin until now. */
  CpuUse use() {
    sample();
    long process = system.getProcessCpuTime() - processBefore;
    Map<CpuUse.Part, Long> nanos = new EnumMap<>(CpuUse.Part.class);
    uses.values().forEach(use -> nanos.merge(use.part, use.last - use.before, Long::sum));
    return CpuUse.of(process, nanos);
  }
}
