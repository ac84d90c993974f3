package io.palinode.voldemort.client.session;

import java.io.Serial;

/** One node did not do what it was asked: unreachable, too slow, or it refused. */
public final class NodeException extends StoreException {
  @Serial private static final long serialVersionUID = 1L;
  private final int node;
  private final String reason;

  public NodeException(int node, String reason) {
    super("node " + node + ": " + reason);
    this.node = node;
    this.reason = reason;
  }

  public int node() {
    return node;
  }

  public String reason() {
    return reason;
  }
}
