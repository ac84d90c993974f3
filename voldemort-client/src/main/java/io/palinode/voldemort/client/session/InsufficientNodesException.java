package io.palinode.voldemort.client.session;

import java.io.Serial;
import java.util.Map;
import java.util.TreeMap;

/**
 * Too few replicas answered. A put or delete that failed so may stand on the nodes that accepted
 * it.
 */
public final class InsufficientNodesException extends StoreException {
  @Serial private static final long serialVersionUID = 1L;
  private final int needed;
  private final int available;
  private final transient Map<Integer, String> failures;

  public InsufficientNodesException(
      String operation, int needed, int available, Map<Integer, String> failures) {
    super(
        operation
            + " needs "
            + needed
            + " nodes: available="
            + available
            + " failures="
            + new TreeMap<>(failures));
    this.needed = needed;
    this.available = available;
    this.failures = Map.copyOf(failures);
  }

  public int needed() {
    return needed;
  }

  public int available() {
    return available;
  }

  /** By node, why it did not answer. */
  public Map<Integer, String> failures() {
    return failures;
  }
}
