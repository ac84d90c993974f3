package io.palinode.launcher;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.server.StoreService;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The counters of one store node, and what it waits for, as meters, {@code palinode.store.*}. */
final class StoreMeters implements AutoCloseable {
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  private final MeterRegistry registry;
  private final List<Meter> meters = new ArrayList<>();

  StoreMeters(StoreService service, MeterRegistry registry) {
    StoreNode node = service.node();
    this.registry = registry;
    for (NodeCounter counter : NodeCounter.values()) {
      meters.add(
          FunctionCounter.builder(name(counter), node.counters(), all -> all.get(counter))
              .tag("node", Integer.toString(node.node()))
              .description(counter.what())
              .register(registry));
    }
    meters.add(
        Gauge.builder(
                "palinode.store.unpromised.seconds",
                node,
                some -> some.unpromisedMicros() / MICROS_PER_SECOND)
            .tag("node", Integer.toString(node.node()))
            .description(
                "For how long the disk has not taken the promise of the node's clock: judgement"
                    + " waits for the node; 0: it does not")
            .register(registry));
    meters.add(
        Gauge.builder(
                "palinode.store.refusing", node, some -> some.storageRefusal() == null ? 0 : 1)
            .tag("node", Integer.toString(node.node()))
            .description("1 while the storage refuses records, as a full disk does")
            .register(registry));
    meters.add(
        Gauge.builder("palinode.store.awaits.repair", service, some -> some.awaitsRepair() ? 1 : 0)
            .tag("node", Integer.toString(node.node()))
            .description(
                "1: the node serves no client until 'palinode repair' has compared all keys")
            .register(registry));
  }

  private static String name(NodeCounter counter) {
    return "palinode.store." + counter.name().toLowerCase(Locale.ROOT).replace('_', '.');
  }

  /** A node that starts again in this process must find the names free. */
  @Override
  public void close() {
    meters.forEach(registry::remove);
  }
}
