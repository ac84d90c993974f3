package io.palinode.cli.demo;

import io.palinode.cli.cluster.ControlPlane;
import io.palinode.cli.terminal.OnSignal;
import io.palinode.cli.terminal.Refusal;
import io.palinode.examples.graph.Graph;
import io.palinode.predicate.Predicate;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/** Runs the modes one after another, each on store nodes of its own. */
public final class DemoRun {
  private final DemoOptions options;
  private final Graph graph;
  private final List<Predicate> predicates;
  private final ProgressLine progress;

  /** Held while the broker starts: it takes an interrupt for its death, and ends the process. */
  private final ReentrantLock starting = new ReentrantLock();

  /**
   * Checks everything that can be checked before anything is started. Progress goes to {@code err}.
   */
  public DemoRun(DemoOptions options, PrintWriter err) {
    this.options = options;
    this.graph = options.graph().graph();
    this.predicates = WatchedPredicates.of(options.predicates(), options.judgedBy());
    this.progress = new ProgressLine(err, isTerminal());
  }

  @SuppressWarnings("try") // A resource for its close alone.
  public DemoReport run() {
    progress.say(
        "%s: %d vertices, %d edges; %d clients on %d nodes, network %s, seed %d"
            .formatted(
                options.graph().name(),
                graph.vertices(),
                graph.edges().size(),
                options.clients(),
                options.nodes(),
                options.network().name().toLowerCase(Locale.ROOT),
                options.seed()));
    List<ModeResult> results = new ArrayList<>();
    Thread runner = Thread.currentThread();
    try (OnSignal stop = OnSignal.does(() -> interrupt(runner));
        Workspace workspace = Workspace.open(options.data(), options.keep())) {
      for (Mode mode : options.modes()) {
        results.add(run(mode, workspace));
      }
      if (workspace.isKept()) {
        progress.say("files are kept in " + workspace.folder());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted", e);
    } catch (RuntimeException e) {
      // What waits for Kafka tells of an interrupt in ways of its own.
      throw runner.isInterrupted() ? new Refusal("interrupted", e) : e;
    }
    return new DemoReport(options.graph().name(), options.seed(), results);
  }

  private ModeResult run(Mode mode, Workspace workspace) throws InterruptedException {
    progress.step(mode.label() + ": starting");
    List<Predicate> watched =
        mode.takesBack() ? predicates : WatchedPredicates.alerting(predicates);
    try (ControlPlane plane = mode.watched() ? controlPlane(mode, watched, workspace) : null) {
      Path data = workspace.folder().resolve(mode.label());
      ModeResult result = new ModeRun(mode, options, data, plane, watched, progress).run();
      progress.say(
          "%-10s done in %.1f s, %s"
              .formatted(
                  mode.label(),
                  result.elapsedSeconds(),
                  result.answerCorrect() ? "answer right" : "ANSWER WRONG"));
      return result;
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
          folder, options.nodes(), options.epsilon(), ControlPlane.Ports.FREE, progress::say);
    } finally {
      starting.unlock();
    }
  }

  /** The launcher looks, since Java cannot ask whether standard error is a terminal. */
  private static boolean isTerminal() {
    return System.getenv("PALINODE_TERMINAL") != null;
  }
}
