package io.palinode.benchmarks;

import io.palinode.benchmarks.StoreLoad.Lap;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.Kind;
import io.palinode.retroscope.snapshot.Manifest;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.retroscope.snapshot.Ref;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.server.StoreService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Snapshots of nodes that serve: three nodes on disk, with sockets, clients that read and write,
 * and each node's part taken at once. Without the control log, which adds some ten milliseconds to
 * each.
 */
public final class SnapshotBenchmark {
  private static final int NODES = 3;
  private static final double WRITES = 0.5;
  private static final double MS_PER_SECOND = 1e3;

  /** What comes after a snapshot is measured for as long as the snapshot took, or this long. */
  private static final double LONGEST_SECONDS = 20;

  private final Setting setting;
  private final Path data;
  private final Consumer<String> progress;
  private final List<StoreService> services = new ArrayList<>();
  private final FastForward time;
  private long numbers;

  /**
   * How much.
   *
   * @param seconds of load before each snapshot
   * @param clients that load the store, each in a thread
   * @param share of a thread's time that each node works for a snapshot
   * @param back seconds that retrospective snapshots go back, one each
   * @param rate writes in each of these seconds
   * @param rounds how often each kind is taken
   */
  public record Setting(
      int keys,
      int valueBytes,
      int clients,
      int seconds,
      double share,
      List<Integer> back,
      int rate,
      int rounds,
      long seed) {
    public Setting {
      back = List.copyOf(back);
      if (!(share > 0 && share <= 1)) {
        throw new IllegalArgumentException("share must be above 0 and at most 1: share=" + share);
      }
      if (keys < 1 || valueBytes < 1 || clients < 1 || seconds < 1) {
        throw new IllegalArgumentException(
            "keys, bytes, clients and seconds must be positive: keys=%d bytes=%d clients=%d seconds=%d"
                .formatted(keys, valueBytes, clients, seconds));
      }
      if (rate < 1 || rounds < 1) {
        throw new IllegalArgumentException(
            "rate and rounds must be positive: rate=%d rounds=%d".formatted(rate, rounds));
      }
      if (back.stream().anyMatch(one -> one < 1)) {
        throw new IllegalArgumentException("seconds to go back must be positive: back=" + back);
      }
    }
  }

  /**
   * A kind of snapshot: medians of its rounds.
   *
   * @param changed keys that all nodes together wrote for it; the bytes likewise
   * @param operationsWithout what clients got in a second, before it and afterwards together
   * @param operationsDuring and while it was taken
   * @param dip throughput that is lost meanwhile, as a part of 1; negative when there was more
   */
  public record Result(
      String what,
      double durationMs,
      long changed,
      long bytes,
      double operationsWithout,
      double operationsDuring,
      double p99WithoutMs,
      double p99DuringMs,
      Spread dip) {
    private static Result of(String what, List<Round> rounds) {
      return new Result(
          what,
          median(rounds, round -> round.during().seconds() * MS_PER_SECOND),
          Math.round(median(rounds, Round::changed)),
          Math.round(median(rounds, Round::bytes)),
          median(rounds, round -> round.without().operationsPerSecond()),
          median(rounds, round -> round.during().operationsPerSecond()),
          median(rounds, round -> round.without().p99Ms()),
          median(rounds, round -> round.during().p99Ms()),
          Spread.of(rounds.stream().mapToDouble(Round::dip).toArray()));
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> figure) {
      return Spread.of(rounds.stream().mapToDouble(figure).toArray()).median();
    }
  }

  /** One snapshot, and what the clients got. */
  private record Round(long changed, long bytes, Lap without, Lap during) {
    double dip() {
      return 1 - during.operationsPerSecond() / Math.max(1, without.operationsPerSecond());
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
    this.time = new FastForward(setting.keys(), setting.valueBytes());
  }

  /** Takes a few minutes with small settings. */
  public List<Result> run() throws InterruptedException {
    Cluster cluster = LoadedNode.cluster(NODES);
    try {
      for (int node = 0; node < NODES; node++) {
        progress.accept("loading node " + node + " with " + setting.keys() + " keys");
        services.add(
            LoadedNode.open(
                LoadedNode.config(node, cluster).withWindowLog(window()),
                data,
                setting.keys(),
                setting.valueBytes(),
                time.nextClock()));
      }
      services.forEach(StoreService::start);
      String address = "127.0.0.1:" + cluster.node(0).socketPort();
      try (StoreClient client = StoreClient.connect(ClientConfig.of(List.of(address), "bench"))) {
        return measure(client.store(LoadedNode.STORE));
      }
    } finally {
      services.forEach(StoreService::close);
    }
  }

  /** As a node's, but that it reaches over what is to be gone back, and what comes meanwhile. */
  private WindowLogConfig window() {
    long seconds = setting.back().stream().mapToLong(Integer::longValue).sum();
    return new WindowLogConfig(
        WindowLogConfig.DEFAULT.ageMax().plusSeconds(seconds), WindowLogConfig.DEFAULT.bytesMax());
  }

  private List<Result> measure(Store store) throws InterruptedException {
    progress.accept("warming up");
    var unused = await(store, 2 * setting.seconds());
    Map<String, List<Round>> rounds = new LinkedHashMap<>();
    for (int round = 1; round <= setting.rounds(); round++) {
      progress.accept("round %d of %d".formatted(round, setting.rounds()));
      measureRound(
          store, (what, one) -> rounds.computeIfAbsent(what, w -> new ArrayList<>()).add(one));
    }
    List<Result> results = new ArrayList<>();
    rounds.forEach((what, all) -> results.add(Result.of(what, all)));
    return results;
  }

  private void measureRound(Store store, BiConsumer<String, Round> results)
      throws InterruptedException {
    for (int back : setting.back()) {
      Ref past = next("past");
      String what = "%,d s back".formatted(back);
      results.accept(what, measure(store, what, back, past, Kind.RETROSPECTIVE, Ref.NONE));
      // None is to begin with another.
      delete(past);
    }
    Ref base = next("base");
    results.accept("instant", measure(store, "instant", 0, base, Kind.INSTANT, Ref.NONE));
    Ref later = next("later");
    results.accept("incremental", measure(store, "incremental", 0, later, Kind.INCREMENTAL, base));
    delete(later);
    Ref moved = next(base.id());
    results.accept("rolling", measure(store, "rolling", 0, moved, Kind.ROLLING, base));
    delete(moved);
    results.accept("nothing", nothing(store));
  }

  private void delete(Ref snapshot) {
    services.forEach(service -> service.snapshots().delete(snapshot.id()));
  }

  private Ref next(String id) {
    return new Ref(id, ++numbers);
  }

  private Round measure(Store store, String what, int back, Ref id, Kind kind, Ref base)
      throws InterruptedException {
    progress.accept("measuring " + what);
    Lap before = await(store, setting.seconds());
    if (back > 0) {
      progress.accept("writing %,d changes".formatted((long) back * setting.rate()));
      List<StoreNode> nodes = services.stream().map(StoreService::node).toList();
      time.pass(nodes, back, setting.rate(), setting.seed() + numbers);
    }
    Order order =
        new Order(id, Hlc.ofMicros(time.now() - TimeUnit.SECONDS.toMicros(back)), kind, base);
    List<Taken> taken;
    Lap during;
    try (StoreLoad load = load(store)) {
      taken = take(order);
      during = load.lap();
    }
    for (int node = 0; node < NODES; node++) {
      services.get(node).snapshots().file(manifest(node, order, taken.get(node)));
    }
    double after = Math.min(during.seconds(), LONGEST_SECONDS);
    return new Round(
        taken.stream().mapToLong(Taken::changed).sum(),
        taken.stream().mapToLong(Taken::bytes).sum(),
        before.plus(await(store, after)),
        during);
  }

  /** All nodes' parts, at once. */
  private List<Taken> take(Order order) {
    Pace pace = new Pace(setting.share(), System::nanoTime, LockSupport::parkNanos);
    List<CompletableFuture<Taken>> parts = new ArrayList<>();
    for (StoreService service : services) {
      parts.add(
          CompletableFuture.supplyAsync(
              () -> service.snapshots().take(order, pace, Watch.NOBODY),
              part -> new Thread(part, "bench-part").start()));
    }
    return parts.stream().map(CompletableFuture::join).toList();
  }

  /** What the machine does by itself. */
  private Round nothing(Store store) throws InterruptedException {
    progress.accept("measuring nothing");
    Lap before = await(store, setting.seconds());
    Lap during = await(store, 2 * setting.seconds());
    return new Round(0, 0, before.plus(await(store, 2 * setting.seconds())), during);
  }

  private static Manifest manifest(int node, Order order, Taken taken) {
    return new Manifest(
        order.id(),
        order.hlc(),
        order.kind(),
        order.base(),
        List.of(new Manifest.Member(node, taken.keys(), taken.bytes(), taken.checksum(), "")));
  }

  private StoreLoad load(Store store) {
    return new StoreLoad(
        List.of(store),
        setting.keys(),
        setting.valueBytes(),
        WRITES,
        setting.clients(),
        setting.seed() + numbers,
        System::nanoTime);
  }

  private Lap await(Store store, double seconds) throws InterruptedException {
    try (StoreLoad load = load(store)) {
      TimeUnit.MILLISECONDS.sleep(Math.round(seconds * MS_PER_SECOND));
      return load.lap();
    }
  }
}
