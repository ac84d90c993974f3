package io.palinode.benchmarks.stock;

import io.palinode.benchmarks.Side;
import io.palinode.benchmarks.stock.AgentBenchmark.Mode;
import io.palinode.benchmarks.stock.AgentBenchmark.Parts;
import io.palinode.benchmarks.stock.AgentBenchmark.Setting;
import io.palinode.benchmarks.stock.ModeTurns.Length;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * What the agent costs in a program that uses Voldemort's own Java client: one program without it
 * and one with it, each a separate process. They alternate before one stock server with the agent.
 * Both speak pb0; without the agent, requests carry no context.
 */
public final class ClientAgentBenchmark {
  /** The one that something rides along with. */
  private static final String PROTOCOL = "pb0";

  private final Setting setting;
  private final Parts parts;
  private final Consumer<String> progress;

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
  public List<Comparison<Mode>> run() throws IOException, InterruptedException, ExecutionException {
    progress.accept("starting the server");
    int statusPort = ServerProgram.freePorts(1).get(0);
    AgentStatus status = new AgentStatus(statusPort);
    List<Comparison<Mode>> results;
    try (ServerProcess server = AgentBenchmark.start(parts, statusPort)) {
      server.await("join", status::isCovered);
      progress.accept("filling in %,d keys".formatted(setting.load().keys()));
      server.fill(setting.load().keys(), setting.load().valueBytes());
      progress.accept("starting both clients");
      List<String> agent = List.of("-javaagent:" + parts.agentJar() + "=client");
      try (StockClientProcess plain = client(server, Mode.NONE, List.of());
          StockClientProcess woven = client(server, Mode.AGENT, agent)) {
        results =
            new ModeTurns<>(
                    setting,
                    List.of(Mode.NONE, Mode.AGENT),
                    (mode, percent, length) ->
                        round(mode == Mode.NONE ? plain : woven, percent, length),
                    progress)
                .run();
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

  private static Side round(StockClientProcess client, int percent, Length length)
      throws IOException {
    return client.round(
        percent, length.rampSeconds(), length.seconds(), length.seed(), client::cpuNanos);
  }
}
