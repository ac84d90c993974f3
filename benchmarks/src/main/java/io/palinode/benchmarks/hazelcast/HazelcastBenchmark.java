package io.palinode.benchmarks.hazelcast;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.hazelcast.HazelcastMember.WithAgent;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.AgentStatus;
import io.palinode.benchmarks.stock.BenchPredicate;
import io.palinode.benchmarks.stock.Comparison;
import io.palinode.benchmarks.stock.LoadProgram;
import io.palinode.benchmarks.stock.ModeTurns;
import io.palinode.benchmarks.stock.ModeTurns.Length;
import io.palinode.benchmarks.stock.ServerProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * What the agent costs a stock Hazelcast member: one member without it and one with it, each a
 * separate process, under a closed loop of clients. The one with it has a map that is not watched,
 * and one that is, with and without a predicate on a tenth of its keys. All take turns.
 */
public final class HazelcastBenchmark {
  private static final String PLAIN = "plain";
  private static final String WATCHED = "watched";

  private final Setting setting;
  private final Parts parts;
  private final Consumer<String> progress;

  /** What a round uses. */
  public enum Mode {
    /** A stock member as it is. */
    NONE,
    /** A map that is not watched, of a member with the agent. */
    UNWATCHED,
    /** A watched map. */
    WATCHED,
    /** The same with a predicate. */
    PREDICATE
  }

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
   * @param progress is given a line a step
   */
  public HazelcastBenchmark(Setting setting, Parts parts, Consumer<String> progress) {
    this.setting = setting;
    this.parts = parts;
    this.progress = progress;
  }

  /**
   * Takes the rounds' time, and as much again to start, fill and warm up. Throws {@link
   * IllegalStateException} when the agent did not cover all of it.
   */
  public List<Comparison<Mode>> run() throws IOException, InterruptedException, ExecutionException {
    int statusPort = ServerProgram.freePorts(1).get(0);
    AgentStatus status = new AgentStatus(statusPort);
    WithAgent agent = new WithAgent(parts.agentJar(), parts.kafka(), WATCHED, statusPort);
    progress.accept("starting both members");
    try (HazelcastMember plain =
            HazelcastMember.start(parts.hazelcast(), parts.data().resolve("stock"));
        HazelcastMember watched =
            HazelcastMember.start(parts.hazelcast(), parts.data().resolve("palinode"), agent);
        LoadProgram toPlain = clients(plain, "stock-clients");
        LoadProgram toWatched = clients(watched, "palinode-clients");
        BenchPredicate predicate =
            new BenchPredicate(parts.kafka(), WATCHED + "/", "", setting.load().valueBytes())) {
      watched.await("join", status::isCovered);
      fill(toPlain, PLAIN);
      fill(toWatched, PLAIN);
      fill(toWatched, WATCHED);
      Rig rig = new Rig(plain, watched, toPlain, toWatched, predicate, status);
      List<Comparison<Mode>> results =
          new ModeTurns<>(
                  setting,
                  List.of(Mode.values()),
                  (mode, percent, length) -> round(rig, mode, percent, length),
                  progress)
              .run();
      status.requireCovered();
      return results;
    }
  }

  /** What is measured side by side. */
  private record Rig(
      HazelcastMember plain,
      HazelcastMember watched,
      LoadProgram toPlain,
      LoadProgram toWatched,
      BenchPredicate predicate,
      AgentStatus status) {}

  private LoadProgram clients(HazelcastMember member, String home) throws IOException {
    return LoadProgram.start(
        HazelcastBenchmark.class,
        "HazelcastLoad.java",
        parts.data().resolve(home),
        List.of("-Xms256m", "-Xmx256m", "-cp", parts.hazelcast().toString()),
        List.of(
            HazelcastMember.CLUSTER,
            member.address(),
            Integer.toString(setting.load().keys()),
            Integer.toString(setting.load().valueBytes()),
            Integer.toString(setting.load().clients())));
  }

  private void fill(LoadProgram clients, String map) throws IOException {
    progress.accept("filling %s with %,d keys".formatted(map, setting.load().keys()));
    clients.run("fill " + map);
  }

  private static Side round(Rig rig, Mode mode, int percent, Length length)
      throws IOException, InterruptedException, ExecutionException {
    boolean isPlain = mode == Mode.NONE;
    if (!isPlain) {
      boolean on = mode == Mode.PREDICATE;
      rig.predicate().set(on);
      rig.watched().await("take its predicate", () -> rig.status().hasPredicate(on));
    }
    String map = isPlain || mode == Mode.UNWATCHED ? PLAIN : WATCHED;
    HazelcastMember member = isPlain ? rig.plain() : rig.watched();
    return (isPlain ? rig.toPlain() : rig.toWatched())
        .round(
            map + " ",
            percent,
            length.rampSeconds(),
            length.seconds(),
            length.seed(),
            member::cpuNanos);
  }
}
