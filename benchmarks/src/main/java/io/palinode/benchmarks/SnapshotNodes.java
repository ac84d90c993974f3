package io.palinode.benchmarks;

import io.palinode.hvc.Hlc;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Manifest;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.server.StoreService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Three nodes on disk, with sockets, that have the same keys, and of which snapshots are taken.
 * Without the control log, which adds some ten milliseconds to each. For one thread.
 */
final class SnapshotNodes implements AutoCloseable {
  static final int NODES = 3;

  private final List<StoreService> services = new ArrayList<>();
  private final Cluster cluster = LoadedNode.cluster(NODES);
  private final FastForward time;
  private long numbers;

  SnapshotNodes(int keys, int valueBytes) {
    this.time = new FastForward(keys, valueBytes);
  }

  /**
   * A snapshot on all nodes.
   *
   * @param keys that it has, on all nodes together
   * @param changed keys that were written for it; bytes are counted in the same way
   */
  record Snapshot(Ref id, long keys, long changed, long bytes) {}

  /** Loads the nodes and starts them; {@link #close} also when this fails. */
  void open(
      Path data, int keys, int valueBytes, WindowLogConfig window, Consumer<String> progress) {
    for (int node = 0; node < NODES; node++) {
      progress.accept("loading node " + node + " with " + keys + " keys");
      services.add(
          LoadedNode.open(
              LoadedNode.config(node, cluster).with(settings -> settings.withWindowLog(window)),
              data,
              keys,
              valueBytes,
              time.nextClock()));
    }
    services.forEach(StoreService::start);
  }

  /** Of a node, for clients. */
  String address() {
    return "127.0.0.1:" + cluster.node(0).socketPort();
  }

  /** Lets so many seconds pass, with so many writes in each. No client may be at work. */
  void pass(int seconds, int rate, long seed) {
    List<StoreNode> nodes = services.stream().map(StoreService::node).toList();
    time.pass(nodes, seconds, rate, seed);
  }

  /** An order of a snapshot, of so many seconds ago. */
  Order order(String id, int secondsAgo, Kind kind, Ref base) {
    long micros = time.now() - TimeUnit.SECONDS.toMicros(secondsAgo);
    return new Order(new Ref(id, ++numbers), Hlc.ofMicros(micros), kind, base);
  }

  /** Begins to take all nodes' parts, at once, each in a separate thread. */
  CompletableFuture<List<Taken>> take(Order order, Pace pace, Watch watch) {
    List<CompletableFuture<Taken>> parts = new ArrayList<>();
    for (StoreService service : services) {
      parts.add(
          CompletableFuture.supplyAsync(
              () -> service.snapshots().take(order, pace, watch),
              part -> new Thread(part, "bench-part").start()));
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .thenApply(all -> parts.stream().map(CompletableFuture::join).toList());
  }

  /** Files what was taken: another can be taken over it. */
  Snapshot file(Order order, List<Taken> parts) {
    for (int node = 0; node < NODES; node++) {
      Taken part = parts.get(node);
      Manifest.Member member =
          new Manifest.Member(node, part.keys(), part.bytes(), part.checksum(), "");
      services
          .get(node)
          .snapshots()
          .file(new Manifest(order.id(), order.hlc(), order.kind(), order.base(), List.of(member)));
    }
    return new Snapshot(
        order.id(),
        parts.stream().mapToLong(Taken::keys).sum(),
        parts.stream().mapToLong(Taken::changed).sum(),
        parts.stream().mapToLong(Taken::bytes).sum());
  }

  void delete(Ref snapshot) {
    services.forEach(service -> service.snapshots().delete(snapshot.id()));
  }

  @Override
  public void close() {
    services.forEach(StoreService::close);
  }
}
