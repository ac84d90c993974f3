package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Spread;
import io.palinode.benchmarks.StoreLoad;
import io.palinode.benchmarks.StoreLoad.Lap;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * What the agent costs a stock Voldemort server: one server without it and one with it, each a
 * process of its own with one store on disk, under a closed loop of clients of ours. The one with
 * it is measured without predicates and with one, which watches a tenth of the keys. The three take
 * turns, forth and back, so that what slowly changes on the machine meets all.
 */
public final class AgentBenchmark {
  private static final String BDB_CACHE = "128MB";
  private static final Duration START_MAX = Duration.ofSeconds(90);
  private static final int WARM_UPS = 2;
  private static final double PERCENT = 100;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final long MILLIS_PER_SECOND = 1_000;

  /** Of a round, before it is measured: connections open, predicates arrive. */
  private static final double RAMP = 0.25;

  private final Setting setting;
  private final Parts parts;
  private final Consumer<String> progress;
  private int loads;

  /** What it runs with. */
  public enum Mode {
    /** A stock server as it is. */
    NONE,
    AGENT,
    /** The agent with a predicate. */
    PREDICATES
  }

  /**
   * What is needed beside this module.
   *
   * @param kafka {@code host:port}; the topics are there
   * @param data an empty folder
   */
  public record Parts(StockVoldemort voldemort, Path agentJar, String kafka, Path data) {}

  /**
   * How much.
   *
   * @param writePercents of the operations, one load after the other
   * @param clients each with a connection and a thread of its own
   * @param rounds of each mode
   * @param warmUpSeconds of each mode, before the first load: a server is compiled while it works
   */
  public record Setting(
      int keys,
      List<Integer> writePercents,
      int valueBytes,
      int clients,
      int rounds,
      double roundSeconds,
      double warmUpSeconds,
      long seed) {
    public Setting {
      writePercents = List.copyOf(writePercents);
      if (keys < 1
          || valueBytes < 1
          || clients < 1
          || rounds < 2
          || !(roundSeconds > 0)
          || warmUpSeconds < 0) {
        throw new IllegalArgumentException(
            "keys, bytes, clients and seconds must be positive, and rounds at least 2: keys=%d bytes=%d clients=%d rounds=%d seconds=%s"
                .formatted(keys, valueBytes, clients, rounds, roundSeconds));
      }
      if (writePercents.stream().anyMatch(each -> each < 0 || each > PERCENT)) {
        throw new IllegalArgumentException("writes must be in [0, 100] percent: " + writePercents);
      }
    }
  }

  /**
   * What one mode did in a round; or the medians of its rounds.
   *
   * @param cpuMicros of the server's process for an operation
   */
  public record Side(double operationsPerSecond, double p50Ms, double p99Ms, double cpuMicros) {}

  /**
   * A mode beside the server as it is, of the same rounds.
   *
   * @param throughput as a share of that without the agent
   * @param cpu likewise, of the processor's time for an operation
   */
  public record Beside(Spread throughput, Spread cpu) {}

  /**
   * One load.
   *
   * @param noise the throughputs of neighbouring rounds without the agent, as a ratio
   */
  public record Result(
      int writePercent,
      Side none,
      Side agent,
      Side predicates,
      Beside agentBeside,
      Beside predicatesBeside,
      Spread noise) {}

  /**
   * @param progress is given a line a step
   */
  public AgentBenchmark(Setting setting, Parts parts, Consumer<String> progress) {
    this.setting = setting;
    this.parts = parts;
    this.progress = progress;
  }

  /**
   * Takes the rounds' time, and as much again to start, fill and warm up. Throws {@link
   * IllegalStateException} when the agent did not cover all of it.
   */
  public List<Result> run() throws IOException, InterruptedException, ExecutionException {
    List<Result> results = new ArrayList<>();
    try (Target plain = open(Mode.NONE);
        Target watched = open(Mode.AGENT);
        BenchPredicate predicate = new BenchPredicate(parts.kafka(), setting.valueBytes())) {
      AgentStatus status = new AgentStatus(watched.statusPort());
      Rig rig = new Rig(plain, watched, predicate, status);
      watched.server().await("join", START_MAX, status::isCovered);
      fill(plain);
      fill(watched);
      progress.accept("warming up");
      for (int i = 0; i < WARM_UPS; i++) {
        for (int percent : setting.writePercents()) {
          double seconds = setting.warmUpSeconds() / WARM_UPS / setting.writePercents().size();
          Map<Mode, Side> unused = roundOfEach(i, seconds, rig, percent);
        }
      }
      for (int percent : setting.writePercents()) {
        results.add(compare(rig, percent));
      }
      status.requireCovered();
    }
    return results;
  }

  /** A server and its clients; {@code statusPort} is 0 without the agent. */
  private record Target(StockServer server, List<StoreClient> clients, int statusPort)
      implements AutoCloseable {
    @Override
    public void close() {
      clients.forEach(StoreClient::close);
      server.close();
    }

    List<Store> stores() {
      return clients.stream().map(client -> client.store(ServerProcess.STORE)).toList();
    }
  }

  /** What is measured side by side. */
  private record Rig(Target plain, Target watched, BenchPredicate predicate, AgentStatus status) {}

  private Target open(Mode mode) throws IOException, InterruptedException {
    progress.accept("starting the server with mode=" + mode);
    Path home = parts.data().resolve(mode.name());
    int statusPort = mode == Mode.NONE ? 0 : StockServer.freePorts(1).get(0);
    List<String> options =
        new ArrayList<>(List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=256m"));
    if (mode != Mode.NONE) {
      options.add("-javaagent:" + parts.agentJar() + "=" + agentConfig(home, statusPort));
    }
    StockServer server =
        StockServer.start(
            parts.voldemort(),
            new StockServer.Setting(
                0,
                StockServer.cluster(1),
                List.of(StoreDefinition.of(ServerProcess.STORE, Persistence.BDB, 1, 1, 1)),
                home,
                BDB_CACHE,
                options));
    List<StoreClient> clients = new ArrayList<>();
    try {
      server.awaitServing(START_MAX);
      for (int i = 0; i < setting.clients(); i++) {
        clients.add(
            StoreClient.connect(
                ClientConfig.of(List.of(server.address()), "bench-" + i).withConnectionsMax(1)));
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      clients.forEach(StoreClient::close);
      server.close();
      throw e;
    }
    return new Target(server, clients, statusPort);
  }

  private Path agentConfig(Path home, int statusPort) throws IOException {
    Path file = Files.createDirectories(home).resolve("agent.yaml");
    return Files.writeString(
        file,
        """
        kafka: %s
        data: %s
        epsilon: 1ms
        statusPort: %d
        windowLogBytes: 64MiB
        unjoined: stop
        """
            .formatted(parts.kafka(), home.resolve("agent"), statusPort));
  }

  private void fill(Target target) throws InterruptedException {
    progress.accept("filling in %,d keys".formatted(setting.keys()));
    String value = StoreLoad.value(setting.valueBytes());
    List<Store> stores = target.stores();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      int first = i;
      Thread thread =
          new Thread(
              () -> {
                for (int key = first; key < setting.keys(); key += stores.size()) {
                  stores.get(first).put(StoreLoad.key(key), value);
                }
              },
              "fill-" + i);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private Result compare(Rig rig, int percent)
      throws IOException, InterruptedException, ExecutionException {
    List<Map<Mode, Side>> rounds = new ArrayList<>();
    for (int i = 0; i < setting.rounds(); i++) {
      progress.accept("%d %% writes: round %d of %d".formatted(percent, i + 1, setting.rounds()));
      rounds.add(roundOfEach(i, setting.roundSeconds(), rig, percent));
    }
    double[] noise = new double[setting.rounds() - 1];
    for (int i = 0; i < noise.length; i++) {
      noise[i] =
          of(rounds.get(i + 1), Mode.NONE, Side::operationsPerSecond)
              / of(rounds.get(i), Mode.NONE, Side::operationsPerSecond);
    }
    return new Result(
        percent,
        median(rounds, Mode.NONE),
        median(rounds, Mode.AGENT),
        median(rounds, Mode.PREDICATES),
        beside(rounds, Mode.AGENT),
        beside(rounds, Mode.PREDICATES),
        Spread.of(noise));
  }

  /** Forth, or back. */
  private Map<Mode, Side> roundOfEach(int round, double seconds, Rig rig, int percent)
      throws IOException, InterruptedException, ExecutionException {
    Map<Mode, Side> sides = new EnumMap<>(Mode.class);
    Mode[] modes = Mode.values();
    for (int i = 0; i < modes.length; i++) {
      Mode mode = modes[round % 2 == 0 ? i : modes.length - 1 - i];
      if (mode != Mode.NONE) {
        boolean on = mode == Mode.PREDICATES;
        rig.predicate().set(on);
        rig.watched()
            .server()
            .await("take its predicate", START_MAX, () -> rig.status().hasPredicate(on));
      }
      sides.put(mode, round(mode == Mode.NONE ? rig.plain() : rig.watched(), seconds, percent));
    }
    return sides;
  }

  private Side round(Target target, double seconds, int percent) throws InterruptedException {
    try (StoreLoad load =
        new StoreLoad(
            target.stores(),
            setting.keys(),
            setting.valueBytes(),
            percent / PERCENT,
            setting.clients(),
            setting.seed() + setting.clients() * (long) loads++,
            System::nanoTime)) {
      sleep(RAMP * seconds);
      var unused = load.lap();
      long cpuBegun = target.server().cpu().toNanos();
      sleep(seconds);
      Lap lap = load.lap();
      double cpuNanos = target.server().cpu().toNanos() - cpuBegun;
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

  private static Beside beside(List<Map<Mode, Side>> rounds, Mode mode) {
    return new Beside(
        ratio(rounds, mode, Side::operationsPerSecond), ratio(rounds, mode, Side::cpuMicros));
  }

  private static Spread ratio(
      List<Map<Mode, Side>> rounds, Mode mode, ToDoubleFunction<Side> figure) {
    return Spread.of(
        rounds.stream()
            .mapToDouble(round -> of(round, mode, figure) / of(round, Mode.NONE, figure))
            .toArray());
  }

  private static double of(Map<Mode, Side> round, Mode mode, ToDoubleFunction<Side> figure) {
    Side side = round.get(mode);
    if (side == null) {
      throw new IllegalStateException("a round must have every mode: " + round.keySet());
    }
    return figure.applyAsDouble(side);
  }

  private static Side median(List<Map<Mode, Side>> rounds, Mode mode) {
    return new Side(
        median(rounds, mode, Side::operationsPerSecond),
        median(rounds, mode, Side::p50Ms),
        median(rounds, mode, Side::p99Ms),
        median(rounds, mode, Side::cpuMicros));
  }

  private static double median(
      List<Map<Mode, Side>> rounds, Mode mode, ToDoubleFunction<Side> figure) {
    return Spread.of(rounds.stream().mapToDouble(round -> of(round, mode, figure)).toArray())
        .median();
  }
}
