package io.palinode.demo.report;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The CPU time of the demo's process, nanoseconds.
 *
 * @param byPart each part once; the sum is {@code process}
 */
public record CpuUse(long process, Map<Part, Long> byPart) {
  private static final double NANOS_PER_MICRO = 1_000;

  public CpuUse {
    byPart = new EnumMap<>(byPart);
  }

  /** What a thread works for, by its name. */
  public enum Part {
    CLIENTS("colouring-client-|palinode-client-|network"),
    NODES("store-node-|palinode-compaction-"),
    DETECTOR("palinode-candidates-|palinode-node-"),
    KAFKA("kafka-|data-plane-|Source Data Fetcher"),
    FLINK("Source:|detection|judged|violations:|flink-|pekko"),
    ORCHESTRATOR("palinode-"),
    /** Known on Linux alone; elsewhere {@code OTHER} has it. */
    COMPILER("C[12] CompilerThre"),
    /** As {@code COMPILER}. */
    COLLECTOR("GC Thread|G1 "),
    /** Further threads, and the ends of threads. */
    OTHER("");

    private final String begins;

    /**
     * @param begins a regular expression for the begin of a thread's name
     */
    Part(String begins) {
      this.begins = begins;
    }

    /** The first part that fits. */
    public static Part ofThread(String name) {
      for (Part part : values()) {
        if (name.matches("(" + part.begins + ").*")) {
          return part;
        }
      }
      return OTHER;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** {@code threads} may lack parts; what it lacks of {@code process} is {@link Part#OTHER}. */
  public static CpuUse of(long process, Map<Part, Long> threads) {
    Map<Part, Long> byPart = new EnumMap<>(Part.class);
    long rest = process;
    for (Part part : Part.values()) {
      long nanos = part == Part.OTHER ? Math.max(0, rest) : threads.getOrDefault(part, 0L);
      byPart.put(part, nanos);
      rest -= nanos;
    }
    return new CpuUse(process, byPart);
  }

  /** Microseconds per operation, the process first. */
  Map<String, Double> microsPer(long operations) {
    Map<String, Double> micros = new LinkedHashMap<>();
    double divisor = NANOS_PER_MICRO * Math.max(1, operations);
    micros.put("process", process / divisor);
    byPart.forEach((part, nanos) -> micros.put(part.label(), nanos / divisor));
    return micros;
  }
}
