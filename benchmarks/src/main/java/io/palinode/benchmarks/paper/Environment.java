package io.palinode.benchmarks.paper;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryManagerMXBean;
import java.util.stream.Collectors;

/** The machine and the programs of a report. */
public record Environment(
    String palinode, String jvm, String os, int cores, long memoryBytes, long heapBytes) {

  /** Those of this process; {@code palinode} is the version of the program. */
  public static Environment ofThisProcess(String palinode) {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Environment(
        palinode,
        property("java.vm.name") + " " + property("java.runtime.version") + ", " + collectors(),
        property("os.name") + " " + property("os.version") + " " + property("os.arch"),
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize(),
        Runtime.getRuntime().maxMemory());
  }

  private static String collectors() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .map(MemoryManagerMXBean::getName)
        .collect(Collectors.joining(" and "));
  }

  private static String property(String name) {
    return System.getProperty(name, "");
  }

  String text() {
    return "%s; %s; %s; %d cores, %,d MiB, heap %,d MiB"
        .formatted(palinode, jvm, os, cores, memoryBytes >> 20, heapBytes >> 20);
  }
}
