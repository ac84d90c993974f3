package io.palinode.cli.bench.paper;

/**
 * How much is measured.
 *
 * @param pairs of runs of two sides, besides the first that does not count
 * @param rounds of a figure that stands by itself
 * @param seconds of a run of the conjunctive workload
 * @param graph of the colouring over a network; without one it is {@code karate}
 * @param candidates of one run of the detection algorithm
 * @param algorithmSeconds of one of its rounds
 * @param entries of a window-log
 * @param keys of a store that is rolled back, or of which a snapshot is taken
 */
public record Budget(
    String name,
    int pairs,
    int rounds,
    double seconds,
    String graph,
    int candidates,
    double algorithmSeconds,
    int entries,
    int keys) {
  public static final Budget FULL =
      new Budget("full", 9, 9, 30, "karate", 100_000, 1, 500_000, 100_000);

  /** All tables in less than 15 minutes on two cores. */
  public static final Budget QUICK =
      new Budget("quick", 4, 5, 4, "grid:3x4", 10_000, 0.1, 100_000, 10_000);

  /** For tests: the figures mean nothing. */
  public static final Budget SMALLEST =
      new Budget("smallest", 2, 2, 1, "grid:2x3", 500, 0, 10_000, 1_000);
}
