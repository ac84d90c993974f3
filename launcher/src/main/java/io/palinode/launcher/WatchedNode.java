package io.palinode.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.hvc.Epsilon;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.store.kafka.ClusterMember;
import io.palinode.store.node.NodeSettings;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.server.StoreService;
import io.palinode.voldemort.server.StoreServiceConfig;
import io.palinode.voldemort.server.SystemMicros;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A store node in this process, with its folder and socket; watched or not. */
public final class WatchedNode implements AutoCloseable {
  private static final int STARTS_MAX = 2;

  private final Parts parts = new Parts();
  private final StoreService service;
  private final @Nullable ClusterMember monitor;

  /** The control log holds an incarnation that is not earlier. The node then does not serve. */
  private final boolean isOutnumbered;

  private WatchedNode(
      StoreService service,
      @Nullable NodeDetectorConfig watch,
      LongSupplier epochMicros,
      MeterRegistry meters) {
    this.service = parts.started(service);
    try {
      monitor =
          watch == null
              ? null
              : parts.started(
                  ClusterMember.start(
                      service.node(), service.snapshots(), watch, epochMicros, meters));
      isOutnumbered = monitor != null && !service.had(monitor.newestBefore());
      parts.started(new StoreMeters(service, meters));
      if (!isOutnumbered && service.awaitsRepair()) {
        parts.started(RepairWait.start(service, monitor));
      } else if (!isOutnumbered) {
        service.start();
      }
    } catch (RuntimeException e) {
      parts.close();
      throw e;
    }
    AutoCloseable socket = service::stopServing;
    parts.started(socket);
  }

  /**
   * Opens, watches (when {@code watch} is given) and serves. A watched node serves nothing before
   * it has joined.
   *
   * @param data the folder of the cluster's data
   * @param windowLogDisk of each store that is on disk; null: window-logs are in memory only
   */
  public static WatchedNode start(
      StoreNodeConfig config,
      Path data,
      @Nullable DiskBound windowLogDisk,
      @Nullable NodeDetectorConfig watch,
      MeterRegistry registry) {
    return start(service(config, data, windowLogDisk), watch, new SystemMicros(), registry);
  }

  /** Like the other, over TLS and with another physical clock. */
  public static WatchedNode start(
      StoreNodeConfig config,
      Path data,
      @Nullable DiskBound windowLogDisk,
      NodeDetectorConfig watch,
      LongSupplier epochMicros,
      MeterRegistry registry,
      @Nullable NodeTls tls) {
    return start(service(config, data, windowLogDisk).withTls(tls), watch, epochMicros, registry);
  }

  /** Like the other, with another physical clock. */
  static WatchedNode start(
      StoreNodeConfig config,
      Path data,
      @Nullable DiskBound windowLogDisk,
      @Nullable NodeDetectorConfig watch,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    return start(service(config, data, windowLogDisk), watch, epochMicros, registry);
  }

  private static WatchedNode start(
      StoreServiceConfig config,
      @Nullable NodeDetectorConfig watch,
      LongSupplier epochMicros,
      MeterRegistry registry) {
    for (int i = 1; i <= STARTS_MAX; i++) {
      WatchedNode node =
          new WatchedNode(StoreService.open(config, epochMicros), watch, epochMicros, registry);
      if (!node.isOutnumbered) {
        return node;
      }
      // Its folder now has the newest incarnation, so the next one is later.
      node.close();
    }
    throw new StartRefusedException(
        "another process runs as node %d: stop it, or give this one another --id"
            .formatted(config.node().nodeId()));
  }

  private static StoreServiceConfig service(
      StoreNodeConfig config, Path data, @Nullable DiskBound windowLogDisk) {
    return StoreServiceConfig.of(config, data).withWindowLogDisk(windowLogDisk);
  }

  /** With defaults: a write outlives the process, not the machine. */
  public static StoreNodeConfig config(
      int id, Cluster cluster, List<StoreDefinition> stores, Epsilon epsilon) {
    return new StoreNodeConfig(id, cluster, stores, NodeSettings.of(epsilon));
  }

  StoreNode node() {
    return service.node();
  }

  /** False after its detector failed; the log has the reason. */
  public boolean isRunning() {
    return monitor == null || monitor.isRunning();
  }

  /** Why its detector failed; null while it runs. */
  public @Nullable String failure() {
    if (monitor == null || monitor.isRunning()) {
      return null;
    }
    String reading = monitor.readFailure();
    return reading == null ? "a thread of it has ended (see the log)" : reading;
  }

  /**
   * Closes the socket, then the detector, then the stores. The node publishes that it has stopped
   * after its last write.
   */
  @Override
  public void close() {
    parts.close();
  }
}
