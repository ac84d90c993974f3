package io.palinode.demo;

import io.palinode.demo.report.CpuUse;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The threads of this process that Java does not list: those of the compiler and the collector.
 * Linux shows them in files; on other systems there are none. For one thread.
 */
final class MachineThreads {
  private static final Set<CpuUse.Part> LISTED =
      Set.of(CpuUse.Part.COMPILER, CpuUse.Part.COLLECTOR);

  private static final File THREADS = new File("/proc/self/task");

  /** A tick of Linux is a hundredth of a second. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** In {@code stat}, after the name: ticks in the process and in the system. */
  private static final List<Integer> TICKS = List.of(11, 12);

  /** By number. A name is read once. */
  private final Map<Long, CpuUse.Part> parts = new HashMap<>();

  /** Numbers of the compiler's and the collector's threads. */
  List<Long> ids() {
    String[] numbers = THREADS.list();
    return Arrays.stream(numbers == null ? new String[0] : numbers)
        .map(Long::valueOf)
        .filter(id -> LISTED.contains(part(id)))
        .toList();
  }

  CpuUse.Part part(long id) {
    return parts.computeIfAbsent(id, it -> CpuUse.Part.ofThread(read(it, "comm").strip()));
  }

  /** Nanoseconds since the thread began; -1 if it has ended. */
  static long cpuTime(long id) {
    String stat = read(id, "stat");
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ", -1);
    return stat.isEmpty()
        ? -1
        : TICKS.stream().mapToLong(at -> Long.parseLong(fields[at])).sum() * NANOS_PER_TICK;
  }

  /** Empty for a thread that has ended. */
  private static String read(long id, String file) {
    try {
      return Files.readString(Path.of(THREADS.getPath(), Long.toString(id), file));
    } catch (IOException e) {
      return "";
    }
  }
}
