package io.palinode.cli.run;

import io.palinode.terminal.Refusal;

/** How many nodes a cluster may have. */
final class NodesOption {
  private static final int NODES_MAX = 64;

  private NodesOption() {}

  static void require(int nodes) {
    Refusal.requireIn("--nodes", nodes, 1, NODES_MAX);
  }
}
