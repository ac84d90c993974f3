package io.palinode.cli.demo;

import io.palinode.cli.cluster.ControlPlane;
import io.palinode.cli.terminal.Refusal;
import io.palinode.examples.graph.Graph;
import io.palinode.examples.graph.Graphs;
import io.palinode.predicate.Predicate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the modes one after another, each on store nodes of its own. */
public final class DemoRun {
  private final DemoOptions options;
  private final Graph graph;
  private final List<Predicate> predicates;
  private final ProgressLine progress;

  /**
   * Checks everything that can be checked before anything is started. Progress goes to {@code err}.
   */
  public DemoRun(DemoOptions options, PrintWriter err) {
    this.options = options;
    this.graph = parse(options);
    if (options.clients() > graph.vertices()) {
      throw new Refusal(
          "--clients must not be more than the graph's %d vertices: %d"
              .formatted(graph.vertices(), options.clients()));
    }
    this.predicates = WatchedPredicates.of(options.predicates());
    this.progress = new ProgressLine(err, isTerminal());
  }

  public DemoReport run() {
    progress.say(
        "%s: %d vertices, %d edges; %d clients on %d nodes, network %s, seed %d"
            .formatted(
                options.graph(),
                graph.vertices(),
                graph.edges().size(),
                options.clients(),
                options.nodes(),
                options.network().name().toLowerCase(java.util.Locale.ROOT),
                options.seed()));
    List<ModeResult> results = new ArrayList<>();
    try (Workspace workspace = Workspace.open(options.data(), options.keep())) {
      for (Mode mode : options.modes()) {
        results.add(run(mode, workspace));
      }
      if (workspace.isKept()) {
        progress.say("files are kept in " + workspace.folder());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted", e);
    }
    return new DemoReport(options.graph(), options.seed(), results);
  }

  private ModeResult run(Mode mode, Workspace workspace) throws InterruptedException {
    progress.step(mode.label() + ": starting");
    try (ControlPlane plane = mode.watched() ? controlPlane(workspace) : null) {
      ModeRun run =
          new ModeRun(
              mode, options, graph, workspace.folder().resolve(mode.label()), plane, progress);
      ModeResult result = run.run();
      progress.say(
          "%-10s done in %.1f s, %s"
              .formatted(
                  mode.label(),
                  result.elapsedSeconds(),
                  result.answerCorrect() ? "answer right" : "ANSWER WRONG"));
      return result;
    }
  }

  private @Nullable ControlPlane controlPlane(Workspace workspace) {
    progress.step("watched: starting Kafka, Flink and the orchestrator");
    ControlPlane plane =
        ControlPlane.start(
            workspace.folder().resolve("control"),
            options.nodes(),
            options.epsilon(),
            ControlPlane.Ports.FREE,
            progress::say);
    try {
      predicates.forEach(plane::apply);
      return plane;
    } catch (RuntimeException e) {
      plane.close();
      throw e;
    }
  }

  /** The launcher looks, since Java cannot ask whether standard error is a terminal. */
  private static boolean isTerminal() {
    return System.getenv("PALINODE_TERMINAL") != null;
  }

  private static Graph parse(DemoOptions options) {
    try {
      return Graphs.parse(options.graph(), options.seed());
    } catch (IllegalArgumentException e) {
      throw new Refusal("--graph: " + e.getMessage(), e);
    } catch (UncheckedIOException e) {
      IOException cause = e.getCause();
      throw new Refusal(
          "--graph: the file " + options.graph() + " cannot be read (" + cause + ")", e);
    }
  }
}
