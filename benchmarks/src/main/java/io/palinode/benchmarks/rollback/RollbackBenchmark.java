package io.palinode.benchmarks.rollback;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.benchmarks.online.Cluster;
import io.palinode.detector.binding.StoreKey;
import io.palinode.store.kafka.ClusterMember;
import io.palinode.store.node.NodeSettings;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Rollbacks of three watched store nodes on disk that all have all keys, through Kafka, the
 * detection job and an orchestrator: how long nodes serve nothing. Beside it the nodes are stopped,
 * their files copied back from a backup, and started.
 */
public final class RollbackBenchmark implements AutoCloseable {
  private static final String STORE = "default";
  private static final Duration ROLLBACK_MAX = Duration.ofMinutes(2);
  private static final long REST_NANOS =
      NodeSettings.CONVERGENCE_WINDOW_DEFAULT.plusMillis(100).toNanos();
  private static final double NANOS_PER_MS = 1e6;

  /** So many keys are compared with what they were. */
  private static final int COMPARED = 1_000;

  private final Cluster cluster;
  private final Path data;
  private final int keys;
  private final int valueBytes;
  private final List<StoreService> services = new ArrayList<>();
  private final List<ClusterMember> monitors = new ArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(Cluster.NODES);
  private long version = 1;
  private long changedAt = System.nanoTime();

  /** Requests a rollback. */
  @FunctionalInterface
  public interface Operator {
    /** Returns when it is done. Throws {@link IllegalStateException} when it is not carried out. */
    Steps rollBack(long target) throws InterruptedException;
  }

  /**
   * By the wall clocks of their nodes, in ms.
   *
   * @param pauseMs from the plan's opening until all nodes are paused
   */
  public record Steps(double pauseMs, double judgeMs, double restoreMs, double convergeMs) {}

  /**
   * What there is to do.
   *
   * @param changes are discarded; each of another key, while there are keys
   * @param standing changes right before the target, which stand; their keys are compared between
   *     the nodes too
   */
  public record Work(int changes, int standing) {}

  /**
   * One rollback.
   *
   * @param pausedMs from the first node that served nothing to the last that served again
   * @param resumeMs what is left of {@code pausedMs}
   */
  public record Result(
      int keys,
      @JsonUnwrapped Work work,
      double pausedMs,
      @JsonUnwrapped Steps steps,
      double resumeMs) {}

  /**
   * The files of all nodes at once.
   *
   * @param stopMs until the last node has closed its engine
   * @param copyMs until the files are on the disk
   * @param startMs until the last node could serve
   */
  public record CopyResult(int keys, long bytes, double stopMs, double copyMs, double startMs) {
    public double downMs() {
      return stopMs + copyMs + startMs;
    }
  }

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
    for (int node = 0; node < Cluster.NODES; node++) {
      try (DataFolder folder = DataFolder.open(data, node, Cluster.NODES)) {
        StoreFiles.copy(made, folder.bdb());
      }
      services.add(open(node));
    }
    for (StoreService service : services) {
      monitors.add(
          ClusterMember.start(
              service.node(),
              service.snapshots(),
              cluster.watch(),
              new SystemMicros(),
              new SimpleMeterRegistry()));
    }
  }

  private StoreService open(int node) {
    List<Node> nodes =
        IntStream.range(0, Cluster.NODES)
            .mapToObj(i -> new Node(i, "127.0.0.1", 1, 1, 1, 0, List.of(i, i + Cluster.NODES)))
            .toList();
    var layout = new io.palinode.voldemort.cluster.Cluster("bench", List.of(), nodes);
    List<StoreDefinition> stores =
        List.of(StoreDefinition.of(STORE, Persistence.BDB, Cluster.NODES, 1, 1));
    StoreNodeConfig config = StoreNodeConfig.of(node, layout, stores);
    return StoreService.open(StoreServiceConfig.of(config, data), new SystemMicros());
  }

  /** Changes keys on all nodes, and has a rollback discard the changes. */
  public Result run(Work work, long seed, Operator operator)
      throws InterruptedException, RefusedException {
    Random random = new Random(seed);
    List<StoreNode> nodes = services.stream().map(StoreService::node).toList();
    putAll(nodes, draw(work.standing(), random));
    long target = quiet(nodes);
    int[] changed = draw(work.changes(), random);
    long versionBefore = version;
    putAll(nodes, changed);
    try (Pause pause = new Pause(nodes)) {
      Steps steps = operator.rollBack(target);
      double pausedMs = pause.awaitMs(ROLLBACK_MAX);
      changedAt = System.nanoTime();
      requireTakenBack(nodes, changed, versionBefore);
      double known = steps.judgeMs() + steps.restoreMs() + steps.convergeMs();
      return new Result(keys, work, pausedMs, steps, Math.max(0, pausedMs - known));
    }
  }

  /**
   * The same, some seconds after an earlier run: so that the only changes near the target are those
   * of {@code work}.
   */
  public Result restAndRun(Work work, long seed, Operator operator)
      throws InterruptedException, RefusedException {
    long rest = changedAt + REST_NANOS - System.nanoTime();
    TimeUnit.NANOSECONDS.sleep(Math.max(0, rest));
    return run(work, seed, operator);
  }

  /** Each key once before any comes again. */
  private int[] draw(int count, Random random) {
    int[] order = IntStream.range(0, keys).toArray();
    int[] drawn = new int[count];
    for (int i = 0; i < count; i++) {
      int from = i % keys;
      int other = from + random.nextInt(keys - from);
      drawn[i] = order[other];
      order[other] = order[from];
      order[from] = drawn[i];
    }
    return drawn;
  }

  /** A cut: what is before it, is on every node, and what comes is after it. */
  private static long quiet(List<StoreNode> nodes) {
    long cut = nodes.stream().mapToLong(node -> node.clock().tick().own()).max().orElseThrow();
    nodes.forEach(node -> node.clock().tickPast(cut));
    return cut;
  }

  private void putAll(List<StoreNode> nodes, int[] some) throws RefusedException {
    for (int key : some) {
      put(nodes, key);
    }
  }

  private void put(List<StoreNode> nodes, int key) throws RefusedException {
    version++;
    Versioned value =
        new Versioned(
            ("%0" + valueBytes + "d").formatted(version).getBytes(UTF_8), Keys.version(version));
    for (StoreNode node : nodes) {
      Caller caller = new Caller(null, node.fence().epoch(), "bench", 0);
      node.writes().put(new StoreKey(STORE, Keys.key(key)), value, caller);
    }
  }

  private static void requireTakenBack(List<StoreNode> nodes, int[] changed, long before)
      throws RefusedException {
    for (StoreNode node : nodes) {
      Caller caller = new Caller(null, node.fence().epoch(), "bench", 0);
      for (int i = 0; i < Math.min(COMPARED, changed.length); i++) {
        List<Versioned> found =
            node.reads().get(new StoreKey(STORE, Keys.key(changed[i])), caller).value();
        boolean isBack = found.size() == 1 && found.get(0).clock().counter(0) <= before;
        if (!isBack) {
          throw new IllegalStateException(
              "a key must be what it was: node=%d key=%d found=%s"
                  .formatted(node.node(), changed[i], found));
        }
      }
    }
  }

  /**
   * Stops the nodes, copies the backup back, and opens them again. They are not watched any more:
   * no rollback can follow.
   */
  public CopyResult copyBack() throws InterruptedException {
    monitors.forEach(ClusterMember::close);
    monitors.clear();
    long begun = System.nanoTime();
    atEachNode(
        node -> {
          services.get(node).close();
          return 0L;
        });
    long stopped = System.nanoTime();
    long bytes = atEachNode(this::copyBack);
    long copied = System.nanoTime();
    atEachNode(
        node -> {
          services.set(node, open(node));
          return 0L;
        });
    long started = System.nanoTime();
    return new CopyResult(
        keys,
        bytes,
        (stopped - begun) / NANOS_PER_MS,
        (copied - stopped) / NANOS_PER_MS,
        (started - copied) / NANOS_PER_MS);
  }

  private long copyBack(int node) throws IOException {
    try (DataFolder folder = DataFolder.open(data, node, Cluster.NODES)) {
      return StoreFiles.copy(data.resolve("backup"), folder.bdb());
    }
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
    monitors.forEach(ClusterMember::close);
    services.forEach(StoreService::close);
  }
}
