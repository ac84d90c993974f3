package io.palinode.agent.client;

import io.palinode.agent.stock.StockTypes;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** Reads Voldemort's {@code NodeValue}: a version, and a node that has or lacks it. Thread-safe. */
final class ReadValues {
  private final MethodHandle node;
  private final MethodHandle versioned;

  ReadValues(StockTypes types) {
    Class<?> nodeValue = types.type("voldemort.store.routed.NodeValue");
    node = types.method(nodeValue, "getNodeId", int.class);
    versioned =
        types.method(nodeValue, "getVersioned", types.type("voldemort.versioning.Versioned"));
  }

  /** The node at which {@code repair} was read: that of the same object in {@code values}. */
  int nodeWith(Object repair, List<?> values) {
    Object wanted = StockTypes.call(versioned, repair);
    for (Object value : values) {
      if (StockTypes.call(versioned, value) == wanted) {
        return (int) StockTypes.call(node, value);
      }
    }
    throw new IllegalStateException("the repaired version is not among the read ones: " + repair);
  }
}
