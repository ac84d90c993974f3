package io.palinode.benchmarks.stock;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.palinode.benchmarks.Rounds;
import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.ModeTurns.Length;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * What the agent costs a stock Voldemort server: one server without it and one with it, each a
 * separate process with one store on disk, under a closed loop of clients. The one with it is
 * measured without predicates and with one, which watches a tenth of the keys. The three take
 * turns.
 */
public final class AgentBenchmark {
  private static final List<String> PROPERTIES =
      List.of(
          "bdb.cache.size=128MB", "nio.connector.selectors=4", "nio.admin.connector.selectors=1");

  private static final int PERCENT = 100;

  /** The default protocol of Voldemort's own client. */
  private static final String STOCK_PROTOCOL = "vp1";

  private final Setting setting;
  private final Kind kind;
  private final Parts parts;
  private final Consumer<String> progress;

  /** What it runs with. */
  public enum Mode {
    /** A stock server as it is. */
    NONE,
    AGENT,
    /** The agent with a predicate. */
    PREDICATES
  }

  /** Whose clients they are. */
  public enum Kind {
    /** Ours: epoch, client id and clocks ride along with every request. */
    OURS,
    /** A program with Voldemort's own client, as it comes. */
    STOCK
  }

  /**
   * What is needed beside this module.
   *
   * @param kafka {@code host:port}; the topics are there
   * @param data an empty folder
   */
  public record Parts(StockVoldemort voldemort, Path agentJar, String kafka, Path data) {}

  /**
   * What clients do.
   *
   * @param writePercents of the operations, one load after the other
   * @param clients each with its own connection and thread
   */
  public record Load(int keys, List<Integer> writePercents, int valueBytes, int clients) {
    public Load {
      writePercents = List.copyOf(writePercents);
    }
  }

  /**
   * How much.
   *
   * @param rounds of each mode
   * @param warmUpSeconds of each mode, before the first load: a server is compiled while it works
   */
  public record Setting(
      @JsonUnwrapped Load load, @JsonUnwrapped Rounds rounds, double warmUpSeconds, long seed) {
    public Setting {
      if (load.keys < 1
          || load.valueBytes < 1
          || load.clients < 1
          || !rounds.areEnough()
          || warmUpSeconds < 0) {
        throw new IllegalArgumentException(
            "keys, bytes, clients and seconds must be positive, and rounds at least 2: keys=%d bytes=%d clients=%d rounds=%d seconds=%s"
                .formatted(
                    load.keys,
                    load.valueBytes,
                    load.clients,
                    rounds.rounds(),
                    rounds.roundSeconds()));
      }
      if (load.writePercents.stream().anyMatch(each -> each < 0 || each > PERCENT)) {
        throw new IllegalArgumentException(
            "writes must be in [0, 100] percent: " + load.writePercents);
      }
    }
  }

  /**
   * @param kind of the clients; Voldemort's own are one program before each server, with {@link
   *     Load#clients} threads
   * @param progress is given a line a step
   */
  public AgentBenchmark(Setting setting, Kind kind, Parts parts, Consumer<String> progress) {
    this.setting = setting;
    this.kind = kind;
    this.parts = parts;
    this.progress = progress;
  }

  /**
   * Takes the rounds' time, and as much again to start, fill and warm up. Throws {@link
   * IllegalStateException} when the agent did not cover all of it.
   */
  public List<Comparison<Mode>> run() throws IOException, InterruptedException, ExecutionException {
    List<Comparison<Mode>> results;
    try (Target plain = open(Mode.NONE);
        Target watched = open(Mode.AGENT);
        BenchPredicate predicate = new BenchPredicate(parts.kafka(), setting.load().valueBytes())) {
      AgentStatus status = new AgentStatus(watched.statusPort());
      Rig rig = new Rig(plain, watched, predicate, status);
      watched.server().await("join", status::isCovered);
      fill(plain.server());
      fill(watched.server());
      results =
          new ModeTurns<>(
                  setting,
                  List.of(Mode.values()),
                  (mode, percent, length) -> round(rig, mode, percent, length),
                  progress)
              .run();
      status.requireCovered();
    }
    return results;
  }

  /** A server and its clients; {@code statusPort} is 0 without the agent. */
  private record Target(ServerProcess server, ServerClients clients, int statusPort)
      implements AutoCloseable {
    @Override
    public void close() {
      clients.close();
      server.close();
    }
  }

  /** What is measured side by side. */
  private record Rig(Target plain, Target watched, BenchPredicate predicate, AgentStatus status) {}

  private Target open(Mode mode) throws IOException, InterruptedException {
    progress.accept("starting the server with mode=" + mode);
    int statusPort = mode == Mode.NONE ? 0 : ServerProgram.freePorts(1).get(0);
    ServerProcess server = start(parts, statusPort);
    try {
      return new Target(server, clients(server, mode), statusPort);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private ServerClients clients(ServerProcess server, Mode mode) throws IOException {
    return switch (kind) {
      case OURS -> ServerClients.ours(server, setting);
      case STOCK ->
          ServerClients.stock(
              server,
              StockClientProcess.start(
                  parts.voldemort(),
                  parts.data().resolve("client-" + mode),
                  server.address(),
                  STOCK_PROTOCOL,
                  setting,
                  StockClientProcess.HEAP));
    };
  }

  /**
   * @param statusPort of the agent; 0: without it
   */
  static ServerProcess start(Parts parts, int statusPort) throws IOException, InterruptedException {
    Path home = parts.data().resolve("server-" + statusPort);
    List<String> options =
        new ArrayList<>(List.of("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=256m"));
    if (statusPort != 0) {
      options.add("-javaagent:" + parts.agentJar() + "=" + agentConfig(parts, home, statusPort));
    }
    return StockServer.start(parts.voldemort(), home, PROPERTIES, options);
  }

  private static Path agentConfig(Parts parts, Path home, int statusPort) throws IOException {
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

  private void fill(ServerProcess server) throws InterruptedException {
    progress.accept("filling in %,d keys".formatted(setting.load().keys()));
    server.fill(setting.load().keys(), setting.load().valueBytes());
  }

  private Side round(Rig rig, Mode mode, int percent, Length length)
      throws IOException, InterruptedException, ExecutionException {
    if (mode != Mode.NONE) {
      boolean on = mode == Mode.PREDICATES;
      rig.predicate().set(on);
      rig.watched().server().await("take its predicate", () -> rig.status().hasPredicate(on));
    }
    return (mode == Mode.NONE ? rig.plain() : rig.watched())
        .clients()
        .round(percent, length.rampSeconds(), length.seconds(), length.seed());
  }
}
