package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Mode;
import io.palinode.benchmarks.stock.AgentBenchmark.Parts;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What the agent costs in a program that uses Voldemort's own Java client: one program without it
 * and one with it, each a separate process. They alternate before one stock server with the agent.
 * Both speak pb0; without the agent, requests carry no context.
 */
public final class ClientAgentBenchmark {
  /** The one that something rides along with. */
  private static final String PROTOCOL = "pb0";

  private static final int WARM_UPS = 2;

  /** Of a round, before it is measured. */
  private static final double RAMP = 0.25;

  private final Setting setting;
  private final Parts parts;
  private final Consumer<String> progress;
  private int loads;

  /**
   * @param progress is given a line a step
   */
  public ClientAgentBenchmark(Setting setting, Parts parts, Consumer<String> progress) {
    this.setting = setting;
    this.parts = parts;
    this.progress = progress;
  }

  /**
   * Takes the rounds' time, and as much again to start, fill and warm up. Throws {@link
   * IllegalStateException} when the server's agent did not cover all of it.
   */
  public List<Comparison<Mode>> run() throws IOException, InterruptedException {
    progress.accept("starting the server");
    int statusPort = ServerProcess.freePorts(1).get(0);
    AgentStatus status = new AgentStatus(statusPort);
    List<Comparison<Mode>> results = new ArrayList<>();
    try (ServerProcess server = AgentBenchmark.start(parts, statusPort)) {
      server.await("join", status::isCovered);
      progress.accept("filling in %,d keys".formatted(setting.load().keys()));
      server.fill(setting.load().keys(), setting.load().valueBytes());
      progress.accept("starting both clients");
      List<String> agent = List.of("-javaagent:" + parts.agentJar() + "=client");
      try (StockClientProcess plain = client(server, Mode.NONE, List.of());
          StockClientProcess woven = client(server, Mode.AGENT, agent)) {
        Map<Mode, StockClientProcess> clients =
            new EnumMap<>(Map.of(Mode.NONE, plain, Mode.AGENT, woven));
        warmUp(clients);
        for (int percent : setting.load().writePercents()) {
          results.add(compare(clients, percent));
        }
      }
      status.requireCovered();
    }
    return results;
  }

  private StockClientProcess client(ServerProcess server, Mode mode, List<String> options)
      throws IOException {
    List<String> all = new ArrayList<>(StockClientProcess.HEAP);
    all.addAll(options);
    Path home = parts.data().resolve("client-" + mode);
    return StockClientProcess.start(
        parts.voldemort(), home, server.address(), PROTOCOL, setting, all);
  }

  private void warmUp(Map<Mode, StockClientProcess> clients) throws IOException {
    progress.accept("warming up");
    for (int i = 0; i < WARM_UPS; i++) {
      for (int percent : setting.load().writePercents()) {
        double seconds = setting.warmUpSeconds() / WARM_UPS / setting.load().writePercents().size();
        Map<Mode, Side> unused = roundOfEach(clients, i, seconds, percent);
      }
    }
  }

  private Comparison<Mode> compare(Map<Mode, StockClientProcess> clients, int percent)
      throws IOException {
    List<Map<Mode, Side>> rounds = new ArrayList<>();
    for (int i = 0; i < setting.rounds().rounds(); i++) {
      progress.accept(
          "%d %% writes: round %d of %d".formatted(percent, i + 1, setting.rounds().rounds()));
      rounds.add(roundOfEach(clients, i, setting.rounds().roundSeconds(), percent));
    }
    return Comparison.of(percent, rounds, Mode.NONE, List.of(Mode.AGENT));
  }

  /** Forth, or back. */
  private Map<Mode, Side> roundOfEach(
      Map<Mode, StockClientProcess> clients, int round, double seconds, int percent)
      throws IOException {
    List<Mode> turns =
        round % 2 == 0 ? List.of(Mode.NONE, Mode.AGENT) : List.of(Mode.AGENT, Mode.NONE);
    Map<Mode, Side> sides = new EnumMap<>(Mode.class);
    for (Mode mode : turns) {
      StockClientProcess client = clients.get(mode);
      if (client != null) {
        long seed = setting.seed() + setting.load().clients() * (long) loads++;
        sides.put(mode, client.round(percent, RAMP * seconds, seconds, seed, client::cpuNanos));
      }
    }
    return sides;
  }
}
