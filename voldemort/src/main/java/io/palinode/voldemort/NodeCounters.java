package io.palinode.voldemort;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one node, and the receiver of its requests' times. Thread-safe. */
public final class NodeCounters {
  private final Map<NodeCounter, LongAdder> adders = new EnumMap<>(NodeCounter.class);
  private volatile RequestTimes times = (kind, nanos) -> {};

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

  /** From now on, {@code newTimes} receives the time of each request. */
  public void time(RequestTimes newTimes) {
    times = newTimes;
  }

  public void took(RequestTimes.Kind kind, long nanos) {
    times.took(kind, nanos);
  }

  private LongAdder adder(NodeCounter counter) {
    return Objects.requireNonNull(adders.get(counter));
  }
}
