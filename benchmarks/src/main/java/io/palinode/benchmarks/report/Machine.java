package io.palinode.benchmarks.report;

/** What was measured on. */
final class Machine {
  private Machine() {}

  static String text() {
    return "Java %s, %s, %d cores"
        .formatted(
            System.getProperty("java.version"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors());
  }
}
