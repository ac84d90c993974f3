package io.palinode.simulation.store;

import io.palinode.voldemort.protocol.Pb0.RequestContext;

/**
 * An operation of a client.
 *
 * @param by the client's clock, epoch and name
 */
public record Request(Operation operation, RequestContext by) {
  public String key() {
    return operation.key();
  }

  /** The same, as if the client were in another epoch. */
  public Request in(long epoch) {
    return new Request(operation, by.toBuilder().setEpoch(epoch).build());
  }

  /** Whether it is a copy of another node's write. */
  public boolean isCopyAt(int node) {
    return by.hasReadAt() || (by.hasOrigin() && by.getOrigin() != node);
  }
}
