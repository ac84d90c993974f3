package io.palinode.demo;

import io.palinode.examples.graph.Graph;

/**
 * How often each vertex is coloured when the user does not say: enough for figures, and done in a
 * minute a mode.
 */
final class Rounds {
  private static final int WARM_UP_TASKS = 500;

  /** Enough for what is sequential to be left, and entered again. */
  private static final int OF_HUBS = 12;

  private Rounds() {}

  static int measured(Graph graph, DemoOptions options) {
    if (options.load().rounds() > 0) {
      return options.load().rounds();
    }
    return options.hubs() > 0 ? OF_HUBS : atLeastOne(tasks(options.site().network()), graph);
  }

  /**
   * Compiles the hot paths, and fills caches, before anything counts; without delays. Servers of
   * somebody else's are warm, or are to be seen as they are.
   */
  static int warmUp(Graph graph, DemoOptions options) {
    return options.site().external() == null ? atLeastOne(WARM_UP_TASKS, graph) : 1;
  }

  private static int atLeastOne(int tasks, Graph graph) {
    return Math.max(1, tasks / graph.vertices());
  }

  private static int tasks(DemoOptions.Network network) {
    return switch (network) {
      case NONE -> 2_000;
      case REGIONAL -> 1_000;
      case CONTINENTAL -> 200;
      case GLOBAL -> 100;
    };
  }
}
