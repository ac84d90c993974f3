package io.palinode.demo;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.demo.report.DemoReport;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import io.palinode.demo.watch.EmbeddedWatcher;
import io.palinode.demo.watch.RecordedRun;
import io.palinode.demo.watch.RemoteWatcher;
import io.palinode.demo.watch.Watcher;
import io.palinode.examples.graph.Graph;
import io.palinode.launcher.ControlPlane;
import io.palinode.launcher.StoreCluster;
import io.palinode.launcher.embedded.Ports;
import io.palinode.predicate.Predicate;
import io.palinode.terminal.OnSignal;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.wire.KafkaSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Runs the modes one after another: each on new store nodes, or all on the user's. */
public final class DemoRun {
  private static final String STORE = "colouring";

  private final DemoOptions options;
  private final Graph graph;
  private final List<Predicate> predicates;
  private final ProgressLine progress;

  private boolean isRecording;
  private @Nullable RecordedRun recorded;

  /** Held while the broker starts: it takes an interrupt for its death, and ends the process. */
  private final ReentrantLock starting = new ReentrantLock();

  /**
   * Checks everything that can be checked before anything is started. Progress goes to {@code err}.
   */
  public DemoRun(DemoOptions options, PrintWriter err) {
    this.options = options;
    this.graph = options.graph().graph();
    this.predicates =
        WatchedPredicates.of(options.watch().predicates(), options.watch().judgedBy());
    this.progress = new ProgressLine(err, isTerminal());
  }

  /** Runs the modes, and returns the candidates of the last one, which must be watched. */
  public RecordedRun record() {
    isRecording = true;
    var unused = run();
    return Objects.requireNonNull(recorded, "the last mode must be watched, on own nodes");
  }

  @SuppressWarnings("try") // A resource for its close alone.
  public DemoReport run() {
    List<ModeResult> results = new ArrayList<>();
    Thread runner = Thread.currentThread();
    try (OnSignal stop = OnSignal.does(() -> interrupt(runner));
        Workspace workspace = Workspace.open(options.site().data(), options.site().keep())) {
      ExternalCluster external = options.site().external();
      if (external == null) {
        onOwnNodes(workspace, results);
      } else {
        on(new ExternalStage(external), results);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted", e);
    } catch (RuntimeException e) {
      // Kafka's calls report an interrupt by different exceptions.
      throw runner.isInterrupted() ? new Refusal("interrupted", e) : e;
    }
    return new DemoReport(options.graph().name(), options.seed(), results);
  }

  private void onOwnNodes(Workspace workspace, List<ModeResult> results)
      throws InterruptedException {
    sayWhat(options.site().nodes());
    for (Mode mode : options.modes()) {
      results.add(onOwnNodes(mode, workspace));
    }
    if (workspace.isKept()) {
      progress.say("files are kept in " + workspace.folder());
    }
  }

  private void on(ExternalStage external, List<ModeResult> results) throws InterruptedException {
    Stage stage = external.find(options.modes());
    sayWhat(stage.nodes());
    for (Mode mode : options.modes()) {
      results.add(on(external, stage, mode));
    }
  }

  private void sayWhat(int nodes) {
    progress.say(
        "%s: %d vertices, %d edges; %d clients on %d nodes, network %s, seed %d"
            .formatted(
                options.graph().name(),
                graph.vertices(),
                graph.edges().size(),
                options.load().clients(),
                nodes,
                options.site().network().name().toLowerCase(Locale.ROOT),
                options.seed()));
  }

  private ModeResult on(ExternalStage external, Stage stage, Mode mode)
      throws InterruptedException {
    progress.step(mode.label() + ": starting");
    external.clear(graph, stage);
    List<Predicate> watched = WatchedPredicates.inStore(watchedIn(mode), stage.store().name());
    try (RemoteWatcher watcher =
        mode.watched() ? RemoteWatcher.watch(external.api(), watched) : null) {
      return done(mode, new ModeRun(mode, options, stage, watcher, () -> {}, progress));
    }
  }

  private ModeResult onOwnNodes(Mode mode, Workspace workspace) throws InterruptedException {
    progress.step(mode.label() + ": starting");
    List<Predicate> watched = watchedIn(mode);
    StoreDefinition store = storeDefinition(mode);
    Path data = workspace.folder().resolve(mode.label());
    try (ControlPlane plane = mode.watched() ? controlPlane(mode, watched, workspace) : null;
        StoreCluster cluster = storeCluster(store, data, plane)) {
      Stage stage = new Stage(cluster.addresses(), cluster.size(), store);
      Watcher watcher = plane == null ? null : new EmbeddedWatcher(plane, watched);
      Runnable warmUp = () -> warmUpDetection(mode, stage, plane);
      ModeRun run = new ModeRun(mode, options, stage, watcher, warmUp, progress);
      ModeResult result = done(mode, run);
      if (isRecording && plane != null) {
        ModeRun.Evidence evidence = run.evidence();
        recorded =
            RecordedRun.read(
                KafkaSettings.of(plane.kafkaAddress()),
                options.site().nodes(),
                evidence.sinceMicros(),
                evidence.truth());
      }
      return result;
    }
  }

  private ModeResult done(Mode mode, ModeRun run) throws InterruptedException {
    ModeResult result = run.run();
    progress.say(
        "%-10s done in %.1f s, %s"
            .formatted(
                mode.label(),
                result.work().elapsedSeconds(),
                result.answer().isRight() ? "answer right" : "ANSWER WRONG"));
    return result;
  }

  private List<Predicate> watchedIn(Mode mode) {
    return mode.takesBack() ? predicates : WatchedPredicates.alerting(predicates);
  }

  private StoreCluster storeCluster(
      StoreDefinition store, Path data, @Nullable ControlPlane plane) {
    MeterRegistry registry = plane == null ? new SimpleMeterRegistry() : plane.registry();
    return StoreCluster.start(
        Ports.free(options.site().nodes()),
        List.of(store),
        data,
        options.watch().epsilon(),
        plane == null ? null : plane.watch(),
        registry);
  }

  private StoreDefinition storeDefinition(Mode mode) {
    int replicas = options.site().replicas();
    return StoreDefinition.of(
        STORE, Persistence.BDB, replicas, 1, mode == Mode.SEQUENTIAL ? replicas : 1);
  }

  private static void warmUpDetection(Mode mode, Stage stage, @Nullable ControlPlane plane) {
    if (plane == null) {
      return;
    }
    try (StoreClient client = StoreClient.connect(ClientConfig.of(stage.addresses(), "warm-up"))) {
      new ViolationWarmUp(plane, client.store(stage.store().name())).run(mode.takesBack());
    }
  }

  private void interrupt(Thread runner) {
    progress.say("stopping");
    starting.lock();
    try {
      runner.interrupt();
    } finally {
      starting.unlock();
    }
  }

  private ControlPlane controlPlane(Mode mode, List<Predicate> watched, Workspace workspace) {
    progress.step(mode.label() + ": starting Kafka, Flink and the orchestrator");
    ControlPlane plane = start(workspace.folder().resolve(mode.label() + "-control"));
    try {
      watched.forEach(plane::apply);
      return plane;
    } catch (RuntimeException e) {
      plane.close();
      throw e;
    }
  }

  private ControlPlane start(Path folder) {
    starting.lock();
    try {
      return ControlPlane.start(
          folder,
          options.site().nodes(),
          options.watch().epsilon(),
          ControlPlane.Ports.FREE,
          progress::say);
    } finally {
      starting.unlock();
    }
  }

  /** The launcher looks, since Java cannot ask whether standard error is a terminal. */
  private static boolean isTerminal() {
    return System.getenv("PALINODE_TERMINAL") != null;
  }
}
