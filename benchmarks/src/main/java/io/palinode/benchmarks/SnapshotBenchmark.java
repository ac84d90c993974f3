package io.palinode.benchmarks;

import io.palinode.benchmarks.StoreLoad.Lap;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.Kind;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Manifest;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.retroscope.snapshot.Ref;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.server.StoreService;
import io.palinode.voldemort.server.SystemMicros;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Snapshots of nodes that serve: three nodes on disk, with sockets, clients that read and write,
 * and each node's part taken at once. Without the control log, which adds some ten milliseconds to
 * each.
 */
public final class SnapshotBenchmark {
  private static final int NODES = 3;
  private static final double WRITES = 0.5;
  private static final double NANOS_PER_MS = 1e6;

  private final Setting setting;
  private final Path data;
  private final Consumer<String> progress;
  private long numbers;

  /**
   * How much.
   *
   * @param seconds of load before each snapshot
   * @param clients that load the store, each in a thread
   * @param share of a thread's time that each node works for a snapshot
   */
  public record Setting(
      int keys, int valueBytes, int clients, int seconds, double share, long seed) {
    public Setting {
      if (!(share > 0 && share <= 1)) {
        throw new IllegalArgumentException("share must be above 0 and at most 1: share=" + share);
      }
      if (keys < 1 || valueBytes < 1 || clients < 1 || seconds < 1) {
        throw new IllegalArgumentException(
            "keys, bytes, clients and seconds must be positive: keys=%d bytes=%d clients=%d seconds=%d"
                .formatted(keys, valueBytes, clients, seconds));
      }
    }
  }

  /**
   * One snapshot.
   *
   * @param changed keys that all nodes together wrote for it; the bytes likewise
   * @param operationsBefore what clients got in a second before it
   * @param operationsDuring and while it was taken
   */
  public record Result(
      String what,
      double durationMs,
      long changed,
      long bytes,
      double operationsBefore,
      double operationsDuring,
      double p99BeforeMs,
      double p99DuringMs) {
    /** Throughput that is lost meanwhile, as a part of 1; negative when there was more. */
    public double dip() {
      return 1 - operationsDuring / Math.max(1, operationsBefore);
    }
  }

  /**
   * @param data an empty folder
   * @param progress is given a line a step
   */
  public SnapshotBenchmark(Setting setting, Path data, Consumer<String> progress) {
    this.setting = setting;
    this.data = data;
    this.progress = progress;
  }

  /** Takes a minute or so with small settings. */
  public List<Result> run() throws InterruptedException {
    List<StoreService> services = new ArrayList<>();
    Cluster cluster = LoadedNode.cluster(NODES);
    try {
      for (int node = 0; node < NODES; node++) {
        progress.accept("loading node " + node + " with " + setting.keys() + " keys");
        services.add(
            LoadedNode.open(
                LoadedNode.config(node, cluster), data, setting.keys(), setting.valueBytes()));
      }
      services.forEach(StoreService::start);
      String address = "127.0.0.1:" + cluster.node(0).socketPort();
      try (StoreClient client = StoreClient.connect(ClientConfig.of(List.of(address), "bench"));
          StoreLoad load =
              new StoreLoad(
                  List.of(client.store(LoadedNode.STORE)),
                  setting.keys(),
                  setting.valueBytes(),
                  WRITES,
                  setting.clients(),
                  setting.seed(),
                  System::nanoTime)) {
        return measure(services, load);
      }
    } finally {
      services.forEach(StoreService::close);
    }
  }

  private List<Result> measure(List<StoreService> services, StoreLoad load)
      throws InterruptedException {
    progress.accept("warming up");
    await(load, 2 * setting.seconds());
    List<Result> results = new ArrayList<>();
    Ref none = Ref.NONE;
    Ref base = new Ref("base", ++numbers);
    results.add(measure("instant", services, load, base, Kind.INSTANT, none, 0));
    Ref retro = new Ref("retro", ++numbers);
    long ago = TimeUnit.SECONDS.toMicros(setting.seconds());
    results.add(measure("retrospective", services, load, retro, Kind.RETROSPECTIVE, none, ago));
    Ref later = new Ref("later", ++numbers);
    results.add(measure("incremental", services, load, later, Kind.INCREMENTAL, base, 0));
    Ref moved = new Ref("retro", ++numbers);
    results.add(measure("rolling", services, load, moved, Kind.ROLLING, retro, 0));
    return results;
  }

  private Result measure(
      String what,
      List<StoreService> services,
      StoreLoad load,
      Ref id,
      Kind kind,
      Ref base,
      long agoMicros)
      throws InterruptedException {
    progress.accept("measuring " + what);
    Lap before = await(load, setting.seconds());
    long hlc = Hlc.ofMicros(new SystemMicros().getAsLong() - agoMicros);
    long begun = System.nanoTime();
    Pace pace = new Pace(setting.share(), System::nanoTime, LockSupport::parkNanos);
    List<CompletableFuture<Taken>> parts = new ArrayList<>();
    for (StoreService service : services) {
      LocalSnapshots snapshots = service.snapshots();
      Order order = new Order(id, hlc, kind, base);
      parts.add(
          CompletableFuture.supplyAsync(
              () -> snapshots.take(order, pace, Watch.NOBODY),
              part -> new Thread(part, "bench-part").start()));
    }
    List<Taken> taken = parts.stream().map(CompletableFuture::join).toList();
    double durationMs = (System.nanoTime() - begun) / NANOS_PER_MS;
    Lap during = load.lap();
    for (int node = 0; node < services.size(); node++) {
      services.get(node).snapshots().file(manifest(node, id, hlc, kind, base, taken.get(node)));
    }
    return new Result(
        what,
        durationMs,
        taken.stream().mapToLong(Taken::changed).sum(),
        taken.stream().mapToLong(Taken::bytes).sum(),
        before.operationsPerSecond(),
        during.operationsPerSecond(),
        before.p99Ms(),
        during.p99Ms());
  }

  private static Manifest manifest(int node, Ref id, long hlc, Kind kind, Ref base, Taken taken) {
    return new Manifest(
        id,
        hlc,
        kind,
        base,
        List.of(new Manifest.Member(node, taken.keys(), taken.bytes(), taken.checksum(), "")));
  }

  /** The lap of so many seconds; the one before it is forgotten. */
  private static Lap await(StoreLoad load, int seconds) throws InterruptedException {
    var unused = load.lap();
    TimeUnit.SECONDS.sleep(seconds);
    return load.lap();
  }
}
