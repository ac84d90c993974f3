package io.palinode.cli.run;

import io.palinode.cli.terminal.Refusal;

/** How many nodes a cluster may have. */
final class NodesOption {
  private static final int NODES_MAX = 64;

  private NodesOption() {}

  static void require(int nodes) {
    if (nodes < 1 || nodes > NODES_MAX) {
      throw new Refusal("--nodes must be in [1, %d]: %d".formatted(NODES_MAX, nodes));
    }
  }
}
