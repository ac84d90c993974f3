package io.palinode.cli.bench.paper;

import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions;
import io.palinode.demo.DemoOptions.Conflict;
import io.palinode.demo.DemoOptions.Load;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.DemoRun;
import io.palinode.demo.report.AntiStallChange;
import io.palinode.demo.report.Mode;
import io.palinode.demo.report.ModeResult;
import io.palinode.demo.watch.RecordedRun;
import io.palinode.examples.graph.run.RunConfig;
import io.palinode.hvc.Epsilon;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * Runs of the graph application, each on new nodes in this process.
 *
 * @param nodes each has all keys
 */
public record GraphRuns(DemoGraph graph, Network network, int nodes, Load load, long seed) {
  /** Of most tables in print. */
  public static final int NODES = 3;

  private static final int WORK = RunConfig.WORK_OPERATIONS_DEFAULT;
  private static final int PUT_PERCENT = RunConfig.PUT_PERCENT_DEFAULT;

  /** All nodes read one clock. */
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);

  /**
   * What clients do by default.
   *
   * @param rounds 0: as many as suit the graph and the network
   */
  public static Load usual(int clients, int rounds) {
    return new Load(clients, rounds, WORK, PUT_PERCENT, Conflict.USUAL);
  }

  /** One mode; progress goes to {@code err}. Throws Refusal if interrupted. */
  public ModeResult run(Mode mode, PrintWriter err) {
    return demo(mode, EPSILON, err).run().modes().get(0);
  }

  /** The candidates of a run that is watched and not rolled back, with plain vector clocks. */
  RecordedRun record(PrintWriter err) {
    return demo(Mode.ALERTING, Epsilon.INFINITE, err).record();
  }

  private DemoRun demo(Mode mode, Epsilon epsilon, PrintWriter err) {
    DemoOptions options =
        new DemoOptions(
            graph,
            List.of(mode),
            seed,
            new DemoOptions.Site(nodes, nodes, network, null, null, false),
            load,
            new DemoOptions.Watch(List.of(), null, epsilon));
    return new DemoRun(options, err);
  }

  /** What rollbacks did in runs, for a person. */
  static String outcome(List<ModeResult> runs) {
    long rollbacks = runs.stream().mapToLong(run -> run.rolledBack().rollbacks()).sum();
    List<AntiStallChange> changes =
        runs.stream().flatMap(run -> run.rolledBack().antiStall().stream()).toList();
    long keys = changes.stream().mapToLong(AntiStallChange::keys).max().orElse(0);
    String sequential = keys == 0 ? "none" : "at most " + keys;
    if (changes.stream().anyMatch(AntiStallChange::allKeys)) {
      sequential = "all";
    }
    long wrong = runs.stream().filter(run -> !run.answer().isRight()).count();
    return "runs: %d, rollbacks: %d, keys that became sequential: %s%s"
        .formatted(
            runs.size(), rollbacks, sequential, wrong == 0 ? "" : "; WRONG ANSWERS: " + wrong);
  }

  /** For a person. */
  public String text() {
    return "%s, network %s, %d clients on %d nodes, seed %d"
        .formatted(
            graph.name(), network.name().toLowerCase(Locale.ROOT), load.clients(), nodes, seed);
  }
}
