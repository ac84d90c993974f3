package io.palinode.store.affected;

import java.util.List;

/**
 * The access log of one node after a time.
 *
 * @param since the log is complete after this HLC
 * @param accesses in the order of the node's clock, each at its own time, except for those of one
 *     request
 */
public record Trace(int node, long since, List<Access> accesses) {
  public Trace {
    accesses = List.copyOf(accesses);
  }
}
