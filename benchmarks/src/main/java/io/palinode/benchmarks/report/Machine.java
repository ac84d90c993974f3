package io.palinode.benchmarks.report;

/** What was measured on. */
public final class Machine {
  private Machine() {}

  public static String text() {
    return "Java %s, %s, %d cores"
        .formatted(
            System.getProperty("java.version"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors());
  }
}
