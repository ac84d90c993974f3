package io.palinode.cli.bench.paper;

import io.palinode.demo.DemoGraph;
import io.palinode.demo.DemoOptions;
import io.palinode.demo.DemoOptions.Network;
import io.palinode.demo.DemoRun;
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
 * @param rounds 0: as many as suit the graph and the network
 * @param work ordinary operations before each section
 * @param putPercent of these that are puts
 */
public record GraphRuns(
    DemoGraph graph,
    Network network,
    int clients,
    int rounds,
    int work,
    int putPercent,
    long seed) {
  public static final int NODES = 3;
  public static final int WORK = RunConfig.WORK_OPERATIONS_DEFAULT;
  public static final int PUT_PERCENT = RunConfig.PUT_PERCENT_DEFAULT;

  /** All nodes read one clock. */
  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);

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
            new DemoOptions.Site(NODES, network, null, null, false),
            new DemoOptions.Load(clients, rounds, work, putPercent, DemoOptions.Conflict.USUAL),
            new DemoOptions.Watch(List.of(), null, epsilon));
    return new DemoRun(options, err);
  }

  /** For a person. */
  public String text() {
    return "%s, network %s, %d clients on %d nodes, seed %d"
        .formatted(graph.name(), network.name().toLowerCase(Locale.ROOT), clients, NODES, seed);
  }
}
