package io.palinode.benchmarks.hazelcast;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.BenchPredicate;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.LoadProgram;
import io.palinode.benchmarks.stock.ModeTurns;
import io.palinode.benchmarks.stock.ModeTurns.Length;
import io.palinode.benchmarks.stock.WatchMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * What the agent costs stock Hazelcast members: a cluster without it and one with it, under a
 * closed loop of clients. The one with it has a map that is not watched, and one that is, with and
 * without a predicate on a tenth of its keys. All take turns.
 */
public final class HazelcastBenchmark {
  private static final String PLAIN = "plain";
  private static final String WATCHED = "watched";

  private final Setting setting;
  private final Size size;
  private final List<WatchMode> modes;
  private final Parts parts;
  private final Consumer<String> progress;

  /**
   * What is needed beside this module.
   *
   * @param hazelcast the jar of a stock Hazelcast
   * @param agentJar Palinode's
   * @param kafka {@code host:port}; the topics are there
   * @param data an empty folder
   */
  public record Parts(Path hazelcast, Path agentJar, String kafka, Path data) {}

  /**
   * The size of a cluster.
   *
   * @param members operations between several carry clocks
   * @param heapMiB of each member
   * @param windowLogMiB of each member with the agent, outside of its heap
   */
  public record Size(int members, int heapMiB, int windowLogMiB) {
    private static final int MEMBERS_MAX = 5;

    public Size {
      if (members < 1 || members > MEMBERS_MAX) {
        throw new IllegalArgumentException(
            "--members must be between 1 and %d: %d".formatted(MEMBERS_MAX, members));
      }
      if (heapMiB < 1 || windowLogMiB < 1) {
        throw new IllegalArgumentException(
            "--heap and --window-log must be positive: %d, %d".formatted(heapMiB, windowLogMiB));
      }
    }
  }

  /**
   * @param size of each cluster
   * @param modes with {@link WatchMode#NONE} first
   * @param progress is given a line a step
   */
  public HazelcastBenchmark(
      Setting setting, Size size, List<WatchMode> modes, Parts parts, Consumer<String> progress) {
    this.setting = setting;
    this.size = size;
    this.modes = List.copyOf(modes);
    this.parts = parts;
    this.progress = progress;
  }

  /**
   * Takes the rounds' time, and as much again to start, fill and warm up. Throws {@link
   * IllegalStateException} when the agent did not cover all of it.
   */
  public List<Comparison<WatchMode>> run()
      throws IOException, InterruptedException, ExecutionException {
    HazelcastCluster.Agent agent =
        new HazelcastCluster.Agent(parts.agentJar(), parts.kafka(), WATCHED);
    progress.accept("starting both clusters");
    try (HazelcastCluster plain =
            HazelcastCluster.start(parts.hazelcast(), parts.data().resolve("stock"), size, null);
        HazelcastCluster watched =
            HazelcastCluster.start(
                parts.hazelcast(), parts.data().resolve("palinode"), size, agent);
        LoadProgram toPlain = clients(plain, "stock-clients");
        LoadProgram toWatched = clients(watched, "palinode-clients");
        BenchPredicate predicate =
            new BenchPredicate(parts.kafka(), WATCHED + "/", "", setting.load().valueBytes())) {
      fill(toPlain, PLAIN);
      fill(toWatched, PLAIN);
      fill(toWatched, WATCHED);
      Rig rig = new Rig(plain, watched, toPlain, toWatched, predicate);
      List<Comparison<WatchMode>> results =
          new ModeTurns<>(
                  setting,
                  modes,
                  (mode, percent, length) -> round(rig, mode, percent, length),
                  progress)
              .run();
      watched.requireCovered();
      return results;
    }
  }

  /** What is measured side by side. */
  private record Rig(
      HazelcastCluster plain,
      HazelcastCluster watched,
      LoadProgram toPlain,
      LoadProgram toWatched,
      BenchPredicate predicate) {}

  private LoadProgram clients(HazelcastCluster cluster, String home) throws IOException {
    return HazelcastClients.start(
        parts.hazelcast(), parts.data().resolve(home), cluster, setting.load());
  }

  private void fill(LoadProgram clients, String map) throws IOException {
    progress.accept("filling %s with %,d keys".formatted(map, setting.load().keys()));
    clients.run("fill " + map);
  }

  private static Side round(Rig rig, WatchMode mode, int percent, Length length)
      throws IOException, InterruptedException, ExecutionException {
    boolean isPlain = mode == WatchMode.NONE;
    if (!isPlain) {
      boolean on = mode == WatchMode.PREDICATE;
      rig.predicate().set(on);
      rig.watched().awaitPredicate(on);
    }
    String map = isPlain || mode == WatchMode.UNWATCHED ? PLAIN : WATCHED;
    HazelcastCluster cluster = isPlain ? rig.plain() : rig.watched();
    return (isPlain ? rig.toPlain() : rig.toWatched())
        .round(
            map + " ",
            percent,
            length.rampSeconds(),
            length.seconds(),
            length.seed(),
            cluster::cpuNanos);
  }
}
