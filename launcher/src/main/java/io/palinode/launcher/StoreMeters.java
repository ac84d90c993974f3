package io.palinode.launcher;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.RequestTimes;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.server.StoreService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** The counters of one store node, and what it waits for, as meters, {@code palinode.store.*}. */
final class StoreMeters implements AutoCloseable {
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  private static final Duration[] TIMES =
      LongStream.of(50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 200_000, 1_000_000)
          .mapToObj(micros -> Duration.ofNanos(micros * 1_000))
          .toArray(Duration[]::new);

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
    addTimes(node);
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

  private void addTimes(StoreNode node) {
    Map<RequestTimes.Kind, Timer> timers = new EnumMap<>(RequestTimes.Kind.class);
    for (RequestTimes.Kind kind : RequestTimes.Kind.values()) {
      Timer timer =
          Timer.builder("palinode.store.request")
              .description("What a node took for a request of a client, without the network")
              .tag("node", Integer.toString(node.node()))
              .tag("kind", kind.name().toLowerCase(Locale.ROOT))
              .serviceLevelObjectives(TIMES)
              .register(registry);
      meters.add(timer);
      timers.put(kind, timer);
    }
    node.counters()
        .time(
            (kind, nanos) ->
                Objects.requireNonNull(timers.get(kind)).record(nanos, TimeUnit.NANOSECONDS));
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
