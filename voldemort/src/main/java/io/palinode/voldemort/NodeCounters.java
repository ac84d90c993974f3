package io.palinode.voldemort;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one node. Thread-safe. */
public final class NodeCounters {
  private final Map<NodeCounter, LongAdder> adders = new EnumMap<>(NodeCounter.class);

  NodeCounters() {
    for (NodeCounter counter : NodeCounter.values()) {
      adders.put(counter, new LongAdder());
    }
  }

  public void add(NodeCounter counter) {
    adder(counter).increment();
  }

  public long get(NodeCounter counter) {
    return adder(counter).sum();
  }

  private LongAdder adder(NodeCounter counter) {
    return Objects.requireNonNull(adders.get(counter));
  }
}
