package io.palinode.benchmarks.stock;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Rounds;
import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.StoreLoad;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Our node and a stock server take turns (stock, ours, ours, stock, …) before the same client.
 * Callers wait for each answer, so there are as many operations under way as callers; they share
 * some connections. A stock server has one request of each connection at a time, ours has several.
 */
public final class StockBenchmark {
  private static final int PERCENT = 100;

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
   * @param rounds of each of the two servers, for each number of connections and share of writes
   * @param warmUpSeconds of each server, under all loads together, before the first one is
   *     measured: servers and client are compiled while they work
   * @param heapMegabytes of each server
   */
  public record Setting(
      @JsonUnwrapped Load load,
      @JsonUnwrapped Rounds rounds,
      double warmUpSeconds,
      Durability durability,
      int heapMegabytes,
      long seed) {
    public Setting {
      if (load.keys < 1 || load.valueBytes < 1 || load.callers < 1 || !rounds.areEnough()) {
        throw new IllegalArgumentException(
            "keys, bytes, callers and seconds must be positive, and rounds at least 2: keys=%d bytes=%d callers=%d rounds=%d seconds=%s"
                .formatted(
                    load.keys,
                    load.valueBytes,
                    load.callers,
                    rounds.rounds(),
                    rounds.roundSeconds()));
      }
      if (!(warmUpSeconds >= 0)) {
        throw new IllegalArgumentException(
            "a warm-up must not be negative: seconds=" + warmUpSeconds);
      }
      if (load.writePercents.stream().anyMatch(each -> each < 0 || each > PERCENT)) {
        throw new IllegalArgumentException(
            "writes must be in [0, 100] percent: " + load.writePercents);
      }
      if (load.connections.stream().anyMatch(each -> each < 1 || each > load.callers)) {
        throw new IllegalArgumentException(
            "connections must be in [1, %d], the callers: %s"
                .formatted(load.callers, load.connections));
      }
    }
  }

  /**
   * What callers do.
   *
   * @param writePercents of the operations, one after the other
   * @param connections over which the callers go, at most; one after the other
   * @param callers threads
   */
  public record Load(
      int keys,
      List<Integer> writePercents,
      List<Integer> connections,
      Clients clients,
      int valueBytes,
      int callers) {
    public Load {
      writePercents = List.copyOf(writePercents);
      connections = List.copyOf(connections);
    }
  }

  /** So many connections, and so many of the operations write. */
  public record Case(int connections, int writePercent) {}

  /** The medians of both servers; the processor time is the server's. */
  public record Sides(Side stock, Side ours) {}

  /**
   * @param throughput ours by stock's, of neighbouring rounds
   * @param p99 the same ratio of the 99th percentiles
   * @param perServerCpu the same ratio of the operations in a second of the server's processor
   *     time: what the throughputs would be to each other with the clients elsewhere, and all
   *     processors busy
   */
  public record Result(Case of, Sides sides, Spread throughput, Spread p99, Spread perServerCpu) {}

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
      for (int connections : setting.load().connections()) {
        for (int percent : setting.load().writePercents()) {
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
    progress.accept("filling %s with %,d keys".formatted(name, setting.load().keys()));
    try (Connected clients = Connected.to(server, Clients.EACH, setting.load().callers())) {
      StoreLoad.fill(clients.stores(), setting.load().keys(), setting.load().valueBytes());
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
    int loads = setting.load().connections().size() * setting.load().writePercents().size();
    if (setting.warmUpSeconds() == 0 || loads == 0) {
      return;
    }
    progress.accept("warming up, %.1f s of each".formatted(setting.warmUpSeconds()));
    double seconds = setting.warmUpSeconds() / WARM_UPS / loads / (1 + RAMP);
    for (int i = 0; i < WARM_UPS; i++) {
      for (int connections : setting.load().connections()) {
        try (Connected toStock = Connected.to(stock, setting.load().clients(), connections);
            Connected toOurs = Connected.to(ours, setting.load().clients(), connections)) {
          for (int percent : setting.load().writePercents()) {
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
    double[] throughput = new double[setting.rounds().rounds()];
    double[] p99 = new double[setting.rounds().rounds()];
    double[] perCpu = new double[setting.rounds().rounds()];
    String load = "%d connections, %d %% writes: ".formatted(connections, percent);
    try (Connected toStock = Connected.to(stock, setting.load().clients(), connections);
        Connected toOurs = Connected.to(ours, setting.load().clients(), connections)) {
      for (int i = 0; i < setting.rounds().rounds(); i++) {
        progress.accept(load + "round %d of %d".formatted(i + 1, setting.rounds().rounds()));
        boolean oursFirst = i % 2 == 1;
        Side first = oursFirst ? round(ours, toOurs, percent) : round(stock, toStock, percent);
        Side second = oursFirst ? round(stock, toStock, percent) : round(ours, toOurs, percent);
        stocks.add(oursFirst ? second : first);
        own.add(oursFirst ? first : second);
        throughput[i] = own.get(i).operationsPerSecond() / stocks.get(i).operationsPerSecond();
        p99[i] = own.get(i).p99Ms() / stocks.get(i).p99Ms();
        perCpu[i] = stocks.get(i).cpuMicros() / own.get(i).cpuMicros();
      }
    }
    return new Result(
        new Case(connections, percent),
        new Sides(Side.median(stocks), Side.median(own)),
        Spread.of(throughput),
        Spread.of(p99),
        Spread.of(perCpu));
  }

  private Side round(ServerProcess server, Connected clients, int percent)
      throws InterruptedException {
    return round(server, clients, percent, setting.rounds().roundSeconds());
  }

  private Side round(ServerProcess server, Connected clients, int percent, double seconds)
      throws InterruptedException {
    Load load = setting.load();
    StoreLoad.Mix mix =
        new StoreLoad.Mix(load.keys(), load.valueBytes(), (double) percent / PERCENT);
    long seed = setting.seed() + load.callers() * (long) loads++;
    try (StoreLoad running = new StoreLoad(clients.stores(), mix, load.callers(), seed)) {
      return running.measure(RAMP * seconds, seconds, server::cpuNanos);
    }
  }
}
