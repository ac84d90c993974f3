package io.palinode.detector.affected;

import java.util.List;

/**
 * Who used which keys at one node.
 *
 * @param since all that was done after this HLC is in it
 * @param accesses in the order of the node's clock, each at a time of its own, but for those of one
 *     request
 */
public record Trace(int node, long since, List<Access> accesses) {
  public Trace {
    accesses = List.copyOf(accesses);
  }
}
