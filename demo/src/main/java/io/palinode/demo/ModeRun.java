package io.palinode.demo;

import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import io.palinode.demo.watch.Watcher;
import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.net.Network;
import io.palinode.examples.graph.run.ColouringRun;
import io.palinode.examples.graph.run.RunConfig;
import io.palinode.examples.graph.run.RunConfig.Finish;
import io.palinode.examples.graph.run.RunResult;
import io.palinode.examples.graph.truth.Truth;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One mode: a warm-up, the measured run, and the check of the answer. */
final class ModeRun {
  private static final Duration SAFE_WAIT_MAX = Duration.ofMinutes(2);
  private static final Duration LOCK_WAIT_MAX = Duration.ofMinutes(5);
  private static final long PROGRESS_MILLIS = 100;

  private final Mode mode;
  private final DemoOptions options;
  private final Graph graph;
  private final Stage stage;
  private final @Nullable Watcher watcher;
  private final Runnable warmUpDetection;
  private final ProgressLine progress;
  private @Nullable Evidence evidence;

  /**
   * What happened.
   *
   * @param sinceMicros the begin of the measured run
   */
  record Evidence(Truth truth, long sinceMicros) {}

  /**
   * @param watcher null: the run is not watched
   * @param warmUpDetection runs before anything is measured
   */
  ModeRun(
      Mode mode,
      DemoOptions options,
      Stage stage,
      @Nullable Watcher watcher,
      Runnable warmUpDetection,
      ProgressLine progress) {
    this.mode = mode;
    this.options = options;
    this.graph = options.graph().graph();
    this.stage = stage;
    this.watcher = watcher;
    this.warmUpDetection = warmUpDetection;
    this.progress = progress;
  }

  ModeResult run() throws InterruptedException {
    try (Network network = network()) {
      try (Network direct = Network.none()) {
        // All vertices, also those without work later.
        colour(direct, "warming up", runConfig(Rounds.warmUp(graph, options)), () -> {});
        warmUpDetection.run();
      }
      Observation observation = Observation.begin(watcher, options.watch().epsilon());
      RunConfig measured = runConfig(Rounds.measured(graph, options)).withHubs(options.hubs());
      CpuMeter cpu = CpuMeter.begin();
      RunResult result = colour(network, "", measured, cpu::sample);
      evidence = new Evidence(Truth.of(result.logs()), observation.sinceMicros());
      return observation.result(mode, stage.settings(), result, cpu.use(), check());
    }
  }

  /** Of a run that has ended. */
  Evidence evidence() {
    return Objects.requireNonNull(evidence, "the run has not ended");
  }

  private RunResult colour(Network network, String phase, RunConfig config, Runnable look)
      throws InterruptedException {
    String what = phase.isEmpty() ? mode.label() : mode.label() + ", " + phase;
    try (ColouringRun run =
        ColouringRun.onStore(
            config, stage.store().name(), client -> clientConfig(network, client))) {
      long started = System.nanoTime();
      run.start();
      while (!run.awaitEnd(Duration.ofMillis(PROGRESS_MILLIS))) {
        progress.show(what + sequential(), run.progress(), (System.nanoTime() - started) / 1e9);
        look.run();
      }
      look.run();
      return run.await();
    }
  }

  /** What clients are asked to use sequentially now. */
  private String sequential() {
    return watcher == null ? "" : watcher.sequentialNow();
  }

  private RunConfig runConfig(int rounds) {
    RunConfig config =
        RunConfig.of(graph, options.load().clients(), rounds, options.seed())
            .withWorkOperations(options.load().work())
            .withPutPercent(options.load().putPercent())
            .withLockWaitMax(LOCK_WAIT_MAX);
    return config.withFinish(mode.takesBack() ? Finish.SAFE : Finish.WRITTEN, SAFE_WAIT_MAX);
  }

  private ClientConfig clientConfig(Network network, int client) {
    int region = client % stage.nodes();
    return ClientConfig.of(stage.addresses(), "client-" + client)
        .withRouting(ClientConfig.Routing.nearestFirst(region))
        .withLinks(network.clientIn(region));
  }

  /**
   * Reads the answer from all replicas, after the writes in flight have ended with their clients.
   */
  private ColouringCheck check() {
    try (StoreClient client = StoreClient.connect(ClientConfig.of(stage.addresses(), "checker"))) {
      FinalAnswer answer = new FinalAnswer(client.store(stage.store().name()), stage.nodes());
      return ColouringCheck.of(graph, vertex -> answer.read(Keys.color(vertex)));
    }
  }

  private Network network() {
    return switch (options.site().network()) {
      case NONE -> Network.none();
      case REGIONAL -> Network.regional(options.seed());
      case CONTINENTAL -> Network.continental(options.seed());
      case GLOBAL -> Network.global(options.seed());
    };
  }
}
