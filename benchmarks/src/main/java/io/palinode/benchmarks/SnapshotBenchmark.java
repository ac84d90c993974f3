package io.palinode.benchmarks;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Alternation.Laps;
import io.palinode.benchmarks.SnapshotNodes.Snapshot;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.snapshot.Order;
import io.palinode.retroscope.snapshot.Pace;
import io.palinode.retroscope.snapshot.Taken;
import io.palinode.retroscope.snapshot.Watch;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Snapshots of three nodes on disk: their effect on clients that read and write meanwhile, and the
 * cost of each kind without clients.
 */
public final class SnapshotBenchmark {
  private static final double WRITES = 0.5;
  private static final double MS_PER_SECOND = 1e3;
  private static final double NANOS_PER_MS = 1e6;

  /** So many times what the load before each takes: the machine's own noise, over some time. */
  private static final long NOTHING_LAPS = 8;

  private final Setting setting;
  private final Path data;
  private final Consumer<String> progress;
  private final SnapshotNodes nodes;
  private int laps;

  /**
   * How much.
   *
   * @param rounds how often each kind is taken
   */
  public record Setting(
      @JsonUnwrapped Load load, @JsonUnwrapped Snapshots snapshots, int rounds, long seed) {
    public Setting {
      if (snapshots.rate < 1 || rounds < 1) {
        throw new IllegalArgumentException(
            "rate and rounds must be positive: rate=%d rounds=%d"
                .formatted(snapshots.rate, rounds));
      }
    }
  }

  /**
   * What the store holds, and who uses it.
   *
   * @param clients that load the store, each in a thread
   * @param seconds of load before each snapshot
   */
  public record Load(int keys, int valueBytes, int clients, int seconds) {
    public Load {
      if (keys < 1 || valueBytes < 1 || clients < 1 || seconds < 1) {
        throw new IllegalArgumentException(
            "keys, bytes, clients and seconds must be positive: keys=%d bytes=%d clients=%d seconds=%d"
                .formatted(keys, valueBytes, clients, seconds));
      }
    }
  }

  /**
   * Which snapshots are taken.
   *
   * @param share of a thread's time that each node works for a snapshot
   * @param back seconds that retrospective snapshots go back, one each
   * @param rate writes in each of these seconds
   * @param changed writes between two snapshots whose cost is measured, one case each
   */
  public record Snapshots(double share, List<Integer> back, int rate, List<Integer> changed) {
    /** The nodes share a machine: together they work as one node does by default. */
    public static final double SHARE_DEFAULT = Pace.SHARE_DEFAULT / SnapshotNodes.NODES;

    public Snapshots {
      back = List.copyOf(back);
      changed = List.copyOf(changed);
      if (!(share > 0 && share <= 1)) {
        throw new IllegalArgumentException("share must be above 0 and at most 1: share=" + share);
      }
      if (back.stream().anyMatch(one -> one < 1)) {
        throw new IllegalArgumentException("seconds to go back must be positive: back=" + back);
      }
      if (changed.stream().anyMatch(one -> one < 1)) {
        throw new IllegalArgumentException("writes must be positive: changed=" + changed);
      }
    }
  }

  /**
   * A kind of snapshot: medians of its rounds.
   *
   * @param took what it cost while it was not held
   */
  public record Result(String what, @JsonUnwrapped Took took, @JsonUnwrapped Clients clients) {
    private static Result of(String what, List<Round> rounds) {
      List<Double> dips = rounds.stream().flatMap(round -> round.laps().dips().stream()).toList();
      return new Result(
          what,
          new Took(
              median(rounds, round -> round.laps().seconds() * MS_PER_SECOND),
              Math.round(median(rounds, round -> round.snapshot().changed())),
              Math.round(median(rounds, round -> round.snapshot().bytes()))),
          new Clients(
              median(rounds, round -> round.laps().without().operationsPerSecond()),
              median(rounds, round -> round.laps().with().operationsPerSecond()),
              median(rounds, round -> round.laps().without().p99Ms()),
              median(rounds, round -> round.laps().with().p99Ms()),
              Spread.of(dips),
              dips));
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> figure) {
      return Spread.of(rounds.stream().mapToDouble(figure).toArray()).median();
    }
  }

  /**
   * @param changed keys that all nodes together wrote; bytes are counted in the same way
   */
  public record Took(double durationMs, long changed, long bytes) {}

  /**
   * What clients got.
   *
   * @param operationsWithout in a second, while the snapshot was held
   * @param operationsDuring and while it continued
   * @param dip throughput that is lost, as a part of 1, of all pairs of turns of all rounds;
   *     negative when there was more
   * @param dips of each pair of turns that was measured
   */
  public record Clients(
      double operationsWithout,
      double operationsDuring,
      double p99WithoutMs,
      double p99DuringMs,
      Spread dip,
      List<Double> dips) {
    public Clients {
      dips = List.copyOf(dips);
    }

    @JsonProperty
    public int pairs() {
      return dips.size();
    }
  }

  /** Figures of all rounds. */
  public record Results(List<Result> kinds, List<Cost> costs) {
    public Results {
      kinds = List.copyOf(kinds);
      costs = List.copyOf(costs);
    }
  }

  /**
   * What a kind of snapshot costs by itself, as fast as it goes: medians of its rounds.
   *
   * @param writes since the one before
   * @param keys that were written for it, on all nodes together; bytes are counted in the same way
   */
  public record Cost(String what, int writes, long keys, double ms, long bytes) {}

  /** One snapshot, and what the clients got. */
  private record Round(Snapshot snapshot, Laps laps) {}

  /** One snapshot of which nothing but its cost was measured. */
  private record Alone(Snapshot snapshot, double ms) {}

  /**
   * @param data an empty folder
   * @param progress is given a line a step
   */
  public SnapshotBenchmark(Setting setting, Path data, Consumer<String> progress) {
    this.setting = setting;
    this.data = data;
    this.progress = progress;
    this.nodes = new SnapshotNodes(setting.load().keys(), setting.load().valueBytes());
  }

  /** Takes a few minutes with small settings. */
  public Results run() throws InterruptedException {
    try (nodes) {
      nodes.open(data, setting.load().keys(), setting.load().valueBytes(), window(), progress);
      List<Result> kinds;
      try (StoreClient client =
          StoreClient.connect(ClientConfig.of(List.of(nodes.address()), "bench"))) {
        kinds = kinds(client.store(LoadedNode.STORE));
      }
      return new Results(kinds, costs());
    }
  }

  /** As a node's, but that it reaches over what is to be gone back, and what comes meanwhile. */
  private WindowLogConfig window() {
    long seconds = setting.snapshots().back().stream().mapToLong(Integer::longValue).sum();
    return new WindowLogConfig(
        WindowLogConfig.DEFAULT.ageMax().plusSeconds(seconds), WindowLogConfig.DEFAULT.bytesMax());
  }

  // ---- what clients notice

  private List<Result> kinds(Store store) throws InterruptedException {
    progress.accept("warming up");
    load(store, 2 * setting.load().seconds());
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
    for (int back : setting.snapshots().back()) {
      String what = "%,d s back".formatted(back);
      Round past = measure(store, what, "past", back, Kind.RETROSPECTIVE, Ref.NONE);
      results.accept(what, past);
      // None is to begin with another.
      nodes.delete(past.snapshot().id());
    }
    Round now = measure(store, "instant", "now", 0, Kind.INSTANT, Ref.NONE);
    results.accept("instant", now);
    nodes.delete(now.snapshot().id());
    Ref of = alone("base", Kind.INSTANT, Ref.NONE).snapshot().id();
    Round later = measure(store, "incremental", "later", 0, Kind.INCREMENTAL, of);
    results.accept("incremental", later);
    nodes.delete(later.snapshot().id());
    nodes.delete(of);
    of = alone("base", Kind.INSTANT, Ref.NONE).snapshot().id();
    Round moved = measure(store, "rolling", of.id(), 0, Kind.ROLLING, of);
    results.accept("rolling", moved);
    nodes.delete(moved.snapshot().id());
    results.accept("nothing", nothing(store));
  }

  private Round measure(Store store, String what, String id, int back, Kind kind, Ref base)
      throws InterruptedException {
    progress.accept("measuring " + what);
    load(store, setting.load().seconds());
    if (back > 0) {
      progress.accept("writing %,d changes".formatted((long) back * setting.snapshots().rate()));
      nodes.pass(back, setting.snapshots().rate(), setting.seed() + ++laps);
    }
    try (StoreLoad load = load(store)) {
      Alternation turns = new Alternation(load::lap);
      Order order = nodes.order(id, back, kind, base);
      Pace pace = new Pace(setting.snapshots().share(), turns::nanos, turns::pause);
      CompletableFuture<List<Taken>> parts = nodes.take(order, pace, (keys, bytes) -> turns.pass());
      Laps laps = turns.measure(parts);
      print(what, laps);
      return new Round(nodes.file(order, parts.join()), laps);
    }
  }

  /** Printed at once, so that a later failure does not lose it. */
  private void print(String what, Laps laps) {
    Spread dip = Spread.of(laps.dips().stream().mapToDouble(Double::doubleValue).toArray());
    progress.accept(
        "%s: %,.0f s, dip %.1f %% (%.1f … %.1f, of %d pairs)"
            .formatted(
                what,
                laps.seconds(),
                100 * dip.median(),
                100 * dip.from(),
                100 * dip.to(),
                laps.dips().size()));
  }

  /** What the machine does by itself: work that is none. */
  private Round nothing(Store store) throws InterruptedException {
    progress.accept("measuring nothing");
    load(store, setting.load().seconds());
    try (StoreLoad load = load(store)) {
      CompletableFuture<Boolean> none =
          new CompletableFuture<Boolean>()
              .completeOnTimeout(true, NOTHING_LAPS * setting.load().seconds(), TimeUnit.SECONDS);
      Laps laps = new Alternation(load::lap).measure(none);
      print("nothing", laps);
      return new Round(new Snapshot(Ref.NONE, 0, 0, 0), laps);
    }
  }

  private StoreLoad load(Store store) {
    return new StoreLoad(
        List.of(store),
        new StoreLoad.Mix(setting.load().keys(), setting.load().valueBytes(), WRITES),
        setting.load().clients(),
        setting.seed() + ++laps);
  }

  private void load(Store store, int seconds) throws InterruptedException {
    try (StoreLoad load = load(store)) {
      TimeUnit.SECONDS.sleep(seconds);
      var unused = load.lap();
    }
  }

  // ---- what it costs

  private List<Cost> costs() {
    Map<String, List<Alone>> rounds = new LinkedHashMap<>();
    List<Cost> costs = new ArrayList<>();
    for (int writes : setting.snapshots().changed()) {
      rounds.clear();
      for (int round = 1; round <= setting.rounds(); round++) {
        progress.accept(
            "round %d of %d: %,d writes, no clients".formatted(round, setting.rounds(), writes));
        measureCost(
            writes, (what, one) -> rounds.computeIfAbsent(what, w -> new ArrayList<>()).add(one));
      }
      rounds.forEach((what, all) -> costs.add(cost(what, writes, all)));
    }
    return costs;
  }

  private static Cost cost(String what, int writes, List<Alone> all) {
    ToDoubleFunction<ToDoubleFunction<Alone>> median =
        figure -> Spread.of(all.stream().mapToDouble(figure).toArray()).median();
    return new Cost(
        what,
        writes,
        Math.round(median.applyAsDouble(one -> one.snapshot().changed())),
        median.applyAsDouble(Alone::ms),
        Math.round(median.applyAsDouble(one -> one.snapshot().bytes())));
  }

  private void measureCost(int writes, BiConsumer<String, Alone> costs) {
    Alone base = alone("base", Kind.INSTANT, Ref.NONE);
    Ref of = base.snapshot().id();
    nodes.pass(1, writes, setting.seed() + ++laps);
    costs.accept("instant", base);
    Alone later = alone("later", Kind.INCREMENTAL, of);
    costs.accept("incremental", later);
    nodes.delete(later.snapshot().id());
    Alone moved = alone(of.id(), Kind.ROLLING, of);
    costs.accept("rolling", moved);
    nodes.delete(moved.snapshot().id());
    measureTwo(writes, costs);
  }

  /** Two at once, with the writes between their times; the second begins when the first has. */
  private void measureTwo(int writes, BiConsumer<String, Alone> costs) {
    Order first = nodes.order("first", 0, Kind.INSTANT, Ref.NONE);
    nodes.pass(1, writes, setting.seed() + ++laps);
    Order second = nodes.order("second", 0, Kind.INSTANT, Ref.NONE);
    Set<Thread> begun = ConcurrentHashMap.newKeySet();
    CompletableFuture<Boolean> allBegun = new CompletableFuture<>();
    Watch watch =
        (keys, bytes) -> {
          begun.add(Thread.currentThread());
          if (begun.size() == SnapshotNodes.NODES) {
            allBegun.complete(true);
          }
          return true;
        };
    CompletableFuture<Alone> one = taken(first, watch);
    CompletableFuture.anyOf(one, allBegun).join();
    CompletableFuture<Alone> two = taken(second, Watch.NONE);
    costs.accept("first of two", one.join());
    costs.accept("second of two", two.join());
    nodes.delete(first.id());
    nodes.delete(second.id());
  }

  private Alone alone(String id, Kind kind, Ref base) {
    return taken(nodes.order(id, 0, kind, base), Watch.NONE).join();
  }

  private CompletableFuture<Alone> taken(Order order, Watch watch) {
    long begun = System.nanoTime();
    return nodes
        .take(order, Pace.unlimited(), watch)
        .thenApply(
            parts -> {
              double ms = (System.nanoTime() - begun) / NANOS_PER_MS;
              return new Alone(nodes.file(order, parts), ms);
            });
  }
}
