package io.palinode.benchmarks.rollback;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.benchmarks.online.Cluster;
import io.palinode.detector.StoreKey;
import io.palinode.detector.kafka.NodeMonitor;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.bdb.BdbEngine;
import io.palinode.voldemort.bdb.DataFolder;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.server.StoreService;
import io.palinode.voldemort.server.StoreServiceConfig;
import io.palinode.voldemort.server.SystemMicros;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Rollbacks of three watched store nodes on disk that all have all keys, through Kafka, the
 * detection job and an orchestrator: how long nodes serve nothing. Beside it the store's files of
 * all three are copied back from a backup, and opened.
 */
public final class RollbackBenchmark implements AutoCloseable {
  private static final String STORE = "default";
  private static final Duration ROLLBACK_MAX = Duration.ofMinutes(2);
  private static final double NANOS_PER_MS = 1e6;

  /** So many keys are compared with what they were. */
  private static final int COMPARED = 1_000;

  private final Cluster cluster;
  private final Path data;
  private final int keys;
  private final int valueBytes;
  private final List<StoreService> services = new ArrayList<>();
  private final List<NodeMonitor> monitors = new ArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(Cluster.NODES);
  private long version = 1;

  /** Who rolls back by hand. */
  @FunctionalInterface
  public interface Operator {
    /** Returns when it is done. Throws {@link IllegalStateException} when it is not carried out. */
    Steps rollBack(long target) throws InterruptedException;
  }

  /** By the wall clocks of those who did them, in ms. */
  public record Steps(
      double pauseMs, double judgeMs, double restoreMs, double convergeMs, long undone) {}

  /**
   * One rollback.
   *
   * @param pausedMs from the first node that served nothing to the last that served again
   * @param pauseMs from the plan's opening until all nodes are paused
   * @param resumeMs what is left of {@code pausedMs}
   */
  public record Result(
      int keys,
      int changes,
      double pausedMs,
      double pauseMs,
      double judgeMs,
      double restoreMs,
      double convergeMs,
      double resumeMs) {}

  /**
   * The files of all nodes at once.
   *
   * @param copyMs until they are on the disk
   * @param openMs until the engines have read them
   */
  public record CopyResult(int keys, long bytes, double copyMs, double openMs) {}

  /**
   * @param data an empty folder
   */
  public RollbackBenchmark(Cluster cluster, Path data, int keys, int valueBytes) {
    this.cluster = cluster;
    this.data = data;
    this.keys = keys;
    this.valueBytes = valueBytes;
  }

  /** Makes the store, and has the nodes join. */
  public void start() throws IOException {
    Path made = data.resolve("backup");
    StoreFiles.make(made, STORE, keys, valueBytes);
    List<Node> nodes =
        IntStream.range(0, Cluster.NODES)
            .mapToObj(i -> new Node(i, "127.0.0.1", 1, 1, 1, 0, List.of(i, i + Cluster.NODES)))
            .toList();
    var layout = new io.palinode.voldemort.cluster.Cluster("bench", List.of(), nodes);
    List<StoreDefinition> stores =
        List.of(StoreDefinition.of(STORE, Persistence.BDB, Cluster.NODES, 1, 1));
    for (int node = 0; node < Cluster.NODES; node++) {
      try (DataFolder folder = DataFolder.open(data, node, Cluster.NODES)) {
        StoreFiles.copy(made, folder.bdb());
      }
      StoreNodeConfig config = StoreNodeConfig.of(node, layout, stores);
      services.add(StoreService.open(StoreServiceConfig.of(config, data), new SystemMicros()));
    }
    for (StoreService service : services) {
      monitors.add(
          NodeMonitor.start(
              service.node(),
              service.snapshots(),
              cluster.watch(),
              new SystemMicros(),
              new SimpleMeterRegistry()));
    }
  }

  /** Changes keys at random, each on all nodes, and has that taken back. */
  public Result run(int changes, long seed, Operator operator)
      throws InterruptedException, RefusedException {
    Random random = new Random(seed);
    List<StoreNode> nodes = services.stream().map(StoreService::node).toList();
    long target = quiet(nodes);
    int[] changed = random.ints(changes, 0, keys).toArray();
    long versionBefore = version;
    for (int key : changed) {
      put(nodes, key);
    }
    try (Pause pause = new Pause(nodes)) {
      Steps steps = operator.rollBack(target);
      double pausedMs = pause.awaitMs(ROLLBACK_MAX);
      requireTakenBack(nodes, changed, versionBefore);
      double known = steps.judgeMs() + steps.restoreMs() + steps.convergeMs();
      return new Result(
          keys,
          changes,
          pausedMs,
          steps.pauseMs(),
          steps.judgeMs(),
          steps.restoreMs(),
          steps.convergeMs(),
          Math.max(0, pausedMs - known));
    }
  }

  /** A cut: what is before it, is on every node, and what comes is after it. */
  private static long quiet(List<StoreNode> nodes) {
    long cut = nodes.stream().mapToLong(node -> node.clock().tick().own()).max().orElseThrow();
    nodes.forEach(node -> node.clock().tickPast(cut));
    return cut;
  }

  private void put(List<StoreNode> nodes, int key) throws RefusedException {
    version++;
    Versioned value =
        new Versioned(
            ("%0" + valueBytes + "d").formatted(version).getBytes(UTF_8), Keys.version(version));
    for (StoreNode node : nodes) {
      Caller caller = new Caller(null, node.fence().epoch(), "bench", 0);
      node.put(new StoreKey(STORE, Keys.key(key)), value, caller);
    }
  }

  private static void requireTakenBack(List<StoreNode> nodes, int[] changed, long before)
      throws RefusedException {
    for (StoreNode node : nodes) {
      Caller caller = new Caller(null, node.fence().epoch(), "bench", 0);
      for (int i = 0; i < Math.min(COMPARED, changed.length); i++) {
        List<Versioned> found = node.get(new StoreKey(STORE, Keys.key(changed[i])), caller).value();
        boolean isBack = found.size() == 1 && found.get(0).clock().counter(0) <= before;
        if (!isBack) {
          throw new IllegalStateException(
              "a key must be what it was: node=%d key=%d found=%s"
                  .formatted(node.node(), changed[i], found));
        }
      }
    }
  }

  /** Copies the backup back, beside the nodes that run. */
  public CopyResult copy() throws InterruptedException {
    long begun = System.nanoTime();
    long bytes = atEachNode(node -> StoreFiles.copy(data.resolve("backup"), copyOf(node)));
    long copied = System.nanoTime();
    atEachNode(
        node -> {
          List<String> stores = List.of(STORE, StoreNode.metaStore());
          BdbEngine.open(copyOf(node), stores, BdbConfig.DEFAULT).close();
          return 0L;
        });
    long opened = System.nanoTime();
    atEachNode(
        node -> {
          StoreFiles.delete(copyOf(node));
          return 0L;
        });
    return new CopyResult(
        keys, bytes, (copied - begun) / NANOS_PER_MS, (opened - copied) / NANOS_PER_MS);
  }

  private Path copyOf(int node) {
    return data.resolve("copy-" + node);
  }

  /** Something of one node. */
  private interface NodeTask {
    long run(int node) throws IOException;
  }

  private long atEachNode(NodeTask task) throws InterruptedException {
    List<Callable<Long>> all =
        IntStream.range(0, Cluster.NODES)
            .<Callable<Long>>mapToObj(node -> () -> task.run(node))
            .toList();
    long sum = 0;
    for (Future<Long> one : threads.invokeAll(all)) {
      try {
        sum += one.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException("the files of a store could not be copied", e.getCause());
      }
    }
    return sum;
  }

  @Override
  public void close() {
    threads.shutdown();
    monitors.forEach(NodeMonitor::close);
    services.forEach(StoreService::close);
  }
}
