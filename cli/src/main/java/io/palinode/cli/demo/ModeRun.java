package io.palinode.cli.demo;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.cli.cluster.ControlPlane;
import io.palinode.cli.cluster.Ports;
import io.palinode.cli.cluster.StoreCluster;
import io.palinode.examples.graph.ColouringCheck;
import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.net.Network;
import io.palinode.examples.graph.run.ColouringRun;
import io.palinode.examples.graph.run.RunConfig;
import io.palinode.examples.graph.run.RunConfig.Finish;
import io.palinode.examples.graph.run.RunResult;
import io.palinode.orchestrator.SequentialSpan;
import io.palinode.predicate.Predicate;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One mode: a cluster, a warm-up, the measured run, and the check of the answer. */
final class ModeRun {
  private static final String STORE = "colouring";
  private static final Duration SAFE_WAIT_MAX = Duration.ofMinutes(2);
  private static final Duration LOCK_WAIT_MAX = Duration.ofMinutes(5);
  private static final long PROGRESS_MILLIS = 100;

  private final Mode mode;
  private final DemoOptions options;
  private final Graph graph;
  private final Path data;
  private final @Nullable ControlPlane plane;
  private final List<Predicate> predicates;
  private final ProgressLine progress;

  /**
   * @param predicates what {@code plane} was told to watch
   */
  ModeRun(
      Mode mode,
      DemoOptions options,
      Path data,
      @Nullable ControlPlane plane,
      List<Predicate> predicates,
      ProgressLine progress) {
    this.mode = mode;
    this.options = options;
    this.graph = options.graph().graph();
    this.data = data;
    this.plane = plane;
    this.predicates = predicates;
    this.progress = progress;
  }

  ModeResult run() throws InterruptedException {
    MeterRegistry registry = plane == null ? new SimpleMeterRegistry() : plane.registry();
    try (StoreCluster cluster =
            StoreCluster.start(
                Ports.free(options.nodes()),
                List.of(storeDefinition()),
                data,
                options.epsilon(),
                plane == null ? null : plane.watch(),
                registry);
        Network network = network()) {
      try (Network direct = Network.none()) {
        // All vertices, also those that nobody works on later.
        colour(cluster, direct, "warming up", runConfig(Rounds.warmUp(graph)));
        warmUpDetection(cluster);
      }
      Observation observation = Observation.begin(plane, predicates, options.epsilon());
      RunConfig measured = runConfig(Rounds.measured(graph, options)).withHubs(options.hubs());
      RunResult result = colour(cluster, network, "", measured);
      return observation.result(mode, result, check(cluster));
    }
  }

  private void warmUpDetection(StoreCluster cluster) {
    if (plane == null) {
      return;
    }
    try (StoreClient client =
        StoreClient.connect(ClientConfig.of(cluster.addresses(), "warm-up"))) {
      new ViolationWarmUp(plane, client.store(STORE)).run(mode.takesBack());
    }
  }

  private RunResult colour(StoreCluster cluster, Network network, String phase, RunConfig config)
      throws InterruptedException {
    String what = phase.isEmpty() ? mode.label() : mode.label() + ", " + phase;
    try (ColouringRun run =
        ColouringRun.onStore(config, STORE, client -> clientConfig(cluster, network, client))) {
      long started = System.nanoTime();
      run.start();
      while (!run.awaitEnd(Duration.ofMillis(PROGRESS_MILLIS))) {
        progress.show(what + sequential(), run.progress(), (System.nanoTime() - started) / 1e9);
      }
      return run.await();
    }
  }

  /** What clients are asked to use sequentially now. */
  private String sequential() {
    List<SequentialSpan> spans =
        plane == null ? List.of() : plane.orchestrator().status().sequential();
    if (spans.isEmpty()) {
      return "";
    }
    boolean all = spans.stream().anyMatch(SequentialSpan::isAll);
    long keys = spans.stream().flatMap(span -> span.keys().stream()).distinct().count();
    return all ? ", all keys R+W>N" : ", %d keys R+W>N".formatted(keys);
  }

  private RunConfig runConfig(int rounds) {
    RunConfig config =
        RunConfig.of(graph, options.clients(), rounds, options.seed())
            .withWorkOperations(options.work())
            .withLockWaitMax(LOCK_WAIT_MAX);
    return config.withFinish(mode.takesBack() ? Finish.SAFE : Finish.WRITTEN, SAFE_WAIT_MAX);
  }

  private ClientConfig clientConfig(StoreCluster cluster, Network network, int client) {
    int region = client % options.nodes();
    return ClientConfig.of(cluster.addresses(), "client-" + client)
        .withRouting(ClientConfig.Routing.NEAREST_FIRST, region)
        .withLinks(network.clientIn(region));
  }

  /**
   * Reads the answer from all replicas, after the writes in flight have ended with their clients.
   */
  private ColouringCheck check(StoreCluster cluster) {
    try (StoreClient client =
        StoreClient.connect(ClientConfig.of(cluster.addresses(), "checker"))) {
      FinalAnswer answer = new FinalAnswer(client.store(STORE), cluster.size());
      return ColouringCheck.of(graph, vertex -> answer.read(Keys.color(vertex)));
    }
  }

  private StoreDefinition storeDefinition() {
    int replicas = Math.min(3, options.nodes());
    return StoreDefinition.of(
        STORE, Persistence.BDB, replicas, 1, mode == Mode.SEQUENTIAL ? replicas : 1);
  }

  private Network network() {
    return switch (options.network()) {
      case NONE -> Network.none();
      case REGIONAL -> Network.regional(options.seed());
      case CONTINENTAL -> Network.continental(options.seed());
      case GLOBAL -> Network.global(options.seed());
    };
  }
}
