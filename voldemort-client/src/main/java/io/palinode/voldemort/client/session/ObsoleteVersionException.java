package io.palinode.voldemort.client.session;

import java.io.Serial;

/** The node has a newer version than the one put, or the same: another writer was faster. */
public final class ObsoleteVersionException extends StoreException {
  @Serial private static final long serialVersionUID = 1L;
  private final int node;

  public ObsoleteVersionException(int node, String message) {
    super("node " + node + " has a newer or equal version: " + message);
    this.node = node;
  }

  public int node() {
    return node;
  }
}
