package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.StoreLoad;
import io.palinode.benchmarks.StoreLoad.Lap;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Our node and a stock server take turns (stock, ours, ours, stock, …) before the same client.
 * Callers wait for each answer, so there are as many operations under way as callers; they share
 * some connections. A stock server has one request of each connection at a time, ours has several.
 */
public final class StockBenchmark {
  private static final int PERCENT = 100;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double MILLIS_PER_SECOND = 1e3;

  /** Of a round, before it is measured. */
  private static final double RAMP = 0.2;

  /** Each server gets its warm-up in so many parts, in turns. */
  private static final int WARM_UPS = 2;

  /** Whose the connections are. */
  public enum Clients {
    /** Each thread has its own client: both servers get as many. */
    EACH,
    /**
     * One client has them all, as in a program that uses the store: it opens as many to a server
     * that takes one request of each at a time, and one to a server that takes several.
     */
    ONE
  }

  private final Setting setting;
  private final StockVoldemort voldemort;
  private final Path data;
  private final Consumer<String> progress;
  private int loads;

  /**
   * How much.
   *
   * @param connections over which the callers go, at most; one after the other
   * @param callers threads
   * @param rounds of each of the two servers, for each number of connections and share of writes
   * @param warmUpSeconds of each server, under all loads together, before the first one is
   *     measured: servers and client are compiled while they work
   * @param heapMegabytes of each server
   */
  public record Setting(
      int keys,
      List<Integer> writePercents,
      List<Integer> connections,
      Clients clients,
      int valueBytes,
      int callers,
      int rounds,
      double roundSeconds,
      double warmUpSeconds,
      Durability durability,
      int heapMegabytes,
      long seed) {
    public Setting {
      writePercents = List.copyOf(writePercents);
      connections = List.copyOf(connections);
      if (keys < 1 || valueBytes < 1 || callers < 1 || rounds < 2 || !(roundSeconds > 0)) {
        throw new IllegalArgumentException(
            "keys, bytes, callers and seconds must be positive, and rounds at least 2: keys=%d bytes=%d callers=%d rounds=%d seconds=%s"
                .formatted(keys, valueBytes, callers, rounds, roundSeconds));
      }
      if (!(warmUpSeconds >= 0)) {
        throw new IllegalArgumentException(
            "a warm-up must not be negative: seconds=" + warmUpSeconds);
      }
      if (writePercents.stream().anyMatch(each -> each < 0 || each > PERCENT)) {
        throw new IllegalArgumentException("writes must be in [0, 100] percent: " + writePercents);
      }
      int most = callers;
      if (connections.stream().anyMatch(each -> each < 1 || each > most)) {
        throw new IllegalArgumentException(
            "connections must be in [1, %d], the callers: %s".formatted(callers, connections));
      }
    }
  }

  /**
   * What one server did in a round; or the medians of its rounds.
   *
   * @param serverCpuMicros its processor time for an operation
   */
  public record Side(
      double operationsPerSecond, double p50Ms, double p99Ms, double serverCpuMicros) {}

  /**
   * @param throughput ours by stock's, of neighbouring rounds
   * @param p99 the same ratio of the 99th percentiles
   * @param perServerCpu the same ratio of the operations in a second of the server's processor
   *     time: what the throughputs would be to each other with the clients elsewhere, and all
   *     processors busy
   */
  public record Result(
      int connections,
      int writePercent,
      Side stock,
      Side ours,
      Spread throughput,
      Spread p99,
      Spread perServerCpu) {}

  /**
   * @param data an empty folder
   * @param progress is given a line a step
   */
  public StockBenchmark(
      Setting setting, StockVoldemort voldemort, Path data, Consumer<String> progress) {
    this.setting = setting;
    this.voldemort = voldemort;
    this.data = data;
    this.progress = progress;
  }

  /** Takes the rounds' time, a fifth as much again, and the filling and warm-up of both. */
  public List<Result> run() throws IOException, InterruptedException {
    List<Result> results = new ArrayList<>();
    List<String> jvm =
        List.of("-Xms" + setting.heapMegabytes() + "m", "-Xmx" + setting.heapMegabytes() + "m");
    progress.accept("starting both servers");
    try (ServerProcess stock =
            StockServer.start(voldemort, data.resolve("stock"), asDurable(), jvm);
        ServerProcess ours = OurNode.start(data.resolve("ours"), setting.durability(), jvm)) {
      fill(stock, "stock");
      fill(ours, "ours");
      warmUp(stock, ours);
      for (int connections : setting.connections()) {
        for (int percent : setting.writePercents()) {
          results.add(compare(stock, ours, connections, percent));
        }
      }
    }
    return results;
  }

  /** The stock server's cache and durability are to be ours. */
  private List<String> asDurable() {
    return List.of(
        "bdb.cache.size=" + BdbConfig.DEFAULT.cacheBytes(),
        "bdb.write.transactions=" + (setting.durability() != Durability.BUFFERED),
        "bdb.flush.transactions=" + (setting.durability() == Durability.SYNCED));
  }

  private void fill(ServerProcess server, String name) throws InterruptedException {
    progress.accept("filling %s with %,d keys".formatted(name, setting.keys()));
    try (Connected clients = Connected.to(server, Clients.EACH, setting.callers())) {
      StoreLoad.fill(clients.stores(), setting.keys(), setting.valueBytes());
    }
  }

  /** So many connections, at most. */
  private record Connected(List<StoreClient> clients) implements AutoCloseable {
    static Connected to(ServerProcess server, Clients clients, int connections) {
      boolean one = clients == Clients.ONE;
      ClientConfig config =
          ClientConfig.of(List.of(server.address()), "bench")
              .withConnectionsMax(one ? connections : 1);
      return new Connected(
          IntStream.range(0, one ? 1 : connections)
              .mapToObj(i -> StoreClient.connect(config))
              .toList());
    }

    List<Store> stores() {
      return clients.stream().map(client -> client.store(ServerProcess.STORE)).toList();
    }

    @Override
    public void close() {
      clients.forEach(StoreClient::close);
    }
  }

  private void warmUp(ServerProcess stock, ServerProcess ours) throws InterruptedException {
    int loads = setting.connections().size() * setting.writePercents().size();
    if (setting.warmUpSeconds() == 0 || loads == 0) {
      return;
    }
    progress.accept("warming up, %.1f s of each".formatted(setting.warmUpSeconds()));
    double seconds = setting.warmUpSeconds() / WARM_UPS / loads / (1 + RAMP);
    for (int i = 0; i < WARM_UPS; i++) {
      for (int connections : setting.connections()) {
        try (Connected toStock = Connected.to(stock, setting.clients(), connections);
            Connected toOurs = Connected.to(ours, setting.clients(), connections)) {
          for (int percent : setting.writePercents()) {
            var unusedStock = round(stock, toStock, percent, seconds);
            var unusedOurs = round(ours, toOurs, percent, seconds);
          }
        }
      }
    }
  }

  private Result compare(ServerProcess stock, ServerProcess ours, int connections, int percent)
      throws InterruptedException {
    List<Side> stocks = new ArrayList<>();
    List<Side> own = new ArrayList<>();
    double[] throughput = new double[setting.rounds()];
    double[] p99 = new double[setting.rounds()];
    double[] perCpu = new double[setting.rounds()];
    String load = "%d connections, %d %% writes: ".formatted(connections, percent);
    try (Connected toStock = Connected.to(stock, setting.clients(), connections);
        Connected toOurs = Connected.to(ours, setting.clients(), connections)) {
      for (int i = 0; i < setting.rounds(); i++) {
        progress.accept(load + "round %d of %d".formatted(i + 1, setting.rounds()));
        boolean oursFirst = i % 2 == 1;
        Side first = oursFirst ? round(ours, toOurs, percent) : round(stock, toStock, percent);
        Side second = oursFirst ? round(stock, toStock, percent) : round(ours, toOurs, percent);
        stocks.add(oursFirst ? second : first);
        own.add(oursFirst ? first : second);
        throughput[i] = own.get(i).operationsPerSecond() / stocks.get(i).operationsPerSecond();
        p99[i] = own.get(i).p99Ms() / stocks.get(i).p99Ms();
        perCpu[i] = stocks.get(i).serverCpuMicros() / own.get(i).serverCpuMicros();
      }
    }
    return new Result(
        connections,
        percent,
        side(stocks),
        side(own),
        Spread.of(throughput),
        Spread.of(p99),
        Spread.of(perCpu));
  }

  private Side round(ServerProcess server, Connected clients, int percent)
      throws InterruptedException {
    return round(server, clients, percent, setting.roundSeconds());
  }

  private Side round(ServerProcess server, Connected clients, int percent, double seconds)
      throws InterruptedException {
    try (StoreLoad load =
        new StoreLoad(
            clients.stores(),
            setting.keys(),
            setting.valueBytes(),
            (double) percent / PERCENT,
            setting.callers(),
            setting.seed() + setting.callers() * (long) loads++,
            System::nanoTime)) {
      sleep(RAMP * seconds);
      var unused = load.lap();
      long cpuBegun = server.cpuNanos();
      sleep(seconds);
      Lap lap = load.lap();
      double cpuNanos = server.cpuNanos() - cpuBegun;
      return new Side(
          lap.operationsPerSecond(),
          lap.p50Ms(),
          lap.p99Ms(),
          cpuNanos / NANOS_PER_MICRO / Math.max(1, lap.operations()));
    }
  }

  private static void sleep(double seconds) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(Math.round(seconds * MILLIS_PER_SECOND));
  }

  private static Side side(List<Side> rounds) {
    return new Side(
        median(rounds, Side::operationsPerSecond),
        median(rounds, Side::p50Ms),
        median(rounds, Side::p99Ms),
        median(rounds, Side::serverCpuMicros));
  }

  private static double median(List<Side> rounds, ToDoubleFunction<Side> of) {
    return Spread.of(rounds.stream().mapToDouble(of).toArray()).median();
  }
}
