package io.palinode.benchmarks;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.sun.management.OperatingSystemMXBean;
import io.palinode.store.node.NodeSettings.Past;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.server.StoreService;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What keeping the past costs a store: two nodes on disk with sockets, one that stamps each
 * operation and logs each write ({@link Past#KEPT}), and one that does neither. They take turns
 * (off, on, on, off, …), so that what slowly changes on the machine meets both.
 */
public final class StoreOverheadBenchmark {
  private static final double PERCENT = 100;

  /** Of a round, before it is measured: the clients start, the other node's cleaner ends. */
  private static final double RAMP = 0.2;

  private final Setting setting;
  private final Path data;
  private final Consumer<String> progress;
  private int loads;

  /**
   * How much.
   *
   * @param keys one or more stores of so many keys, one after the other
   * @param writePercents of the operations; for each store
   * @param clients that load a node, each in a thread
   * @param rounds of each of the two nodes
   */
  public record Setting(
      List<Integer> keys,
      List<Integer> writePercents,
      int valueBytes,
      int clients,
      @JsonUnwrapped Rounds rounds,
      long seed) {
    public Setting {
      keys = List.copyOf(keys);
      writePercents = List.copyOf(writePercents);
      if (keys.stream().anyMatch(each -> each < 1)
          || valueBytes < 1
          || clients < 1
          || !rounds.areEnough()) {
        throw new IllegalArgumentException(
            "keys, bytes, clients and seconds must be positive, and rounds at least 2: keys=%s bytes=%d clients=%d rounds=%d seconds=%s"
                .formatted(keys, valueBytes, clients, rounds.rounds(), rounds.roundSeconds()));
      }
      if (writePercents.stream().anyMatch(each -> each < 0 || each > PERCENT)) {
        throw new IllegalArgumentException("writes must be in [0, 100] percent: " + writePercents);
      }
    }
  }

  /** One store of so many keys under one load. */
  public record Load(int keys, int writePercent) {}

  /** The medians without the past, and with it. */
  public record Sides(Side off, Side on) {}

  /**
   * One store under one load.
   *
   * @param throughput with the past by without it, of neighbouring rounds
   * @param cpu the same ratio of the processor's time
   * @param noise the same ratio of throughputs where both rounds are of the same node; of one when
   *     nothing disturbs
   * @param turns all rounds, without the past and with it
   */
  public record Result(
      Load load, Sides sides, Spread throughput, Spread cpu, Spread noise, Turns<Side> turns) {
    static Result of(Load load, Turns<Side> turns) {
      Turns.Effect throughput = turns.ratios(Side::operationsPerSecond);
      return new Result(
          load,
          new Sides(Side.median(turns.base()), Side.median(turns.other())),
          Spread.of(throughput.values()),
          Spread.of(turns.ratios(Side::cpuMicros).values()),
          Spread.of(throughput.alike()),
          turns);
    }
  }

  /**
   * @param data an empty folder
   * @param progress is given a line a step
   */
  public StoreOverheadBenchmark(Setting setting, Path data, Consumer<String> progress) {
    this.setting = setting;
    this.data = data;
    this.progress = progress;
  }

  /** Takes the rounds' time, and half as much again. */
  public List<Result> run() throws InterruptedException {
    List<Result> results = new ArrayList<>();
    for (int keys : setting.keys()) {
      try (Target off = open(keys, Past.NONE);
          Target on = open(keys, Past.KEPT)) {
        for (int percent : setting.writePercents()) {
          warmUp(List.of(off, on, off, on, off, on), keys, percent);
          results.add(compare(off, on, keys, percent));
        }
      }
    }
    return results;
  }

  /** A node and its own client. */
  private record Target(StoreService service, StoreClient client) implements AutoCloseable {
    @Override
    public void close() {
      client.close();
      service.close();
    }
  }

  private Target open(int keys, Past past) {
    progress.accept("%,d keys: loading the node with past=%s".formatted(keys, past));
    Cluster cluster = LoadedNode.cluster(1);
    StoreService service =
        LoadedNode.open(
            LoadedNode.config(0, cluster).with(settings -> settings.withPast(past)),
            data.resolve(keys + "-" + past),
            keys,
            setting.valueBytes());
    service.start();
    String address = "127.0.0.1:" + service.port();
    return new Target(service, StoreClient.connect(ClientConfig.of(List.of(address), "bench")));
  }

  private void warmUp(List<Target> targets, int keys, int percent) throws InterruptedException {
    progress.accept("%,d keys, %d %% writes: warming up".formatted(keys, percent));
    for (Target target : targets) {
      var unused = round(target, keys, percent, setting.rounds().roundSeconds());
    }
  }

  private Result compare(Target off, Target on, int keys, int percent) throws InterruptedException {
    List<Side> plain = new ArrayList<>();
    List<Side> kept = new ArrayList<>();
    for (int i = 0; i < setting.rounds().rounds(); i++) {
      progress.accept(
          "%,d keys, %d %% writes: round %d of %d"
              .formatted(keys, percent, i + 1, setting.rounds().rounds()));
      boolean onFirst = i % 2 == 1;
      Side first = round(onFirst ? on : off, keys, percent, setting.rounds().roundSeconds());
      Side second = round(onFirst ? off : on, keys, percent, setting.rounds().roundSeconds());
      plain.add(onFirst ? second : first);
      kept.add(onFirst ? first : second);
    }
    return Result.of(new Load(keys, percent), new Turns<>(plain, kept));
  }

  private Side round(Target target, int keys, int percent, double seconds)
      throws InterruptedException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (StoreLoad load =
        new StoreLoad(
            List.of(target.client().store(LoadedNode.STORE)),
            new StoreLoad.Mix(keys, setting.valueBytes(), percent / PERCENT),
            setting.clients(),
            setting.seed() + setting.clients() * (long) loads++)) {
      return load.measure(RAMP * seconds, seconds, system::getProcessCpuTime);
    }
  }
}
