package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.StoreLoad;
import io.palinode.benchmarks.online.Conjunction;
import io.palinode.benchmarks.online.ViolationLatencies;
import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Curve;
import io.palinode.benchmarks.paper.Curve.Line;
import io.palinode.benchmarks.paper.Curve.Point;
import io.palinode.benchmarks.paper.Printed;
import io.palinode.benchmarks.paper.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How soon violations of a conjunction are detected, with the store in it. */
final class LatencyTable implements PaperTable {
  static final Conjunction WORKLOAD = new Conjunction(10, 0.01, 0.5);

  private static final String SOURCE = "Optimistic Execution in Key-Value Store, Table III";
  private static final String REPORT = "Technical Report: Optimistic Execution in Key-Value Store";
  private static final double MS_PER_SECOND = 1_000;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  /** Rounds without which code is not compiled. */
  private static final int WARM_UP_ROUNDS = 2;

  private static final double WARM_UP_SECONDS_MAX = 60;

  private final Load load;

  /**
   * What clients do.
   *
   * @param perSecond operations of all clients; 0: as many as are answered
   * @param fullSeconds of a round of the full size; 0: as the other tables
   */
  private record Load(
      String name, String title, Conjunction workload, double perSecond, double fullSeconds) {
    private double seconds(Budget budget) {
      return fullSeconds > 0 && budget.equals(Budget.FULL) ? fullSeconds : budget.seconds();
    }

    private boolean isMeasured(Budget budget) {
      return fullSeconds == 0 || !budget.equals(Budget.QUICK);
    }

    private double warmUpSeconds(Budget budget) {
      return Math.min(WARM_UP_SECONDS_MAX, seconds(budget));
    }

    private StoreLoad begin(ConjunctiveCluster cluster) {
      return perSecond > 0 ? cluster.load(perSecond) : cluster.load();
    }

    private String text() {
      return perSecond > 0 ? "%,.0f operations/s".formatted(perSecond) : "as fast as answered";
    }
  }

  private LatencyTable(Load load) {
    this.load = load;
  }

  /** Clients take all that the machine has. */
  static LatencyTable closedLoop() {
    return new LatencyTable(
        new Load(
            "latency",
            "Detection latency of conjunctive violations, with the store in it",
            WORKLOAD,
            0,
            0));
  }

  /** A fixed rate, with 1,000,000 violations and more at the full size. */
  static LatencyTable sustained() {
    return new LatencyTable(
        new Load(
            "sustained",
            "Detection latency of 1,000,000 conjunctive violations, at a fixed rate",
            new Conjunction(10, 0.25, 0.5),
            2_500,
            185));
  }

  @Override
  public String name() {
    return load.name();
  }

  @Override
  public String title() {
    return load.title();
  }

  @Override
  public int steps(Budget budget) {
    return load.isMeasured(budget) ? 1 + WARM_UP_ROUNDS + budget.rounds() : 1;
  }

  @Override
  public double stepSeconds(Budget budget) {
    return load.seconds(budget) + 2;
  }

  @Override
  @SuppressWarnings("try") // The load is a resource for its close alone.
  public void measure(Session session) throws IOException, InterruptedException {
    Budget budget = session.budget();
    if (!load.isMeasured(budget)) {
      session.step("not measured with --quick");
      session.setting("not measured with --quick");
      session.add(
          Row.notHere(
              load.name() + ".quick",
              "1,000,000 violations",
              "%",
              Printed.figure(99.944, SOURCE),
              "they take half an hour: leave out --quick"));
      return;
    }
    session.step("starting the cluster");
    List<List<Double>> rounds = new ArrayList<>();
    try (ConjunctiveCluster cluster =
            ConjunctiveCluster.start(load.workload(), ConjunctiveCluster.USUAL, true);
        ViolationLatencies latencies = cluster.latencies()) {
      for (int round = 1 - WARM_UP_ROUNDS; round <= budget.rounds(); round++) {
        if (session.isStopped() && !rounds.isEmpty()) {
          break;
        }
        session.step(
            round <= 0 ? "warming up" : "round %d of %d".formatted(round, budget.rounds()));
        try (StoreLoad clients = load.begin(cluster)) {
          double seconds = round > 0 ? load.seconds(budget) : load.warmUpSeconds(budget);
          TimeUnit.MILLISECONDS.sleep(Math.round(seconds * MS_PER_SECOND));
        }
        List<Double> millis = latencies.take();
        if (round > 0) {
          rounds.add(millis);
        }
      }
      session.setting(
          setting(budget, rounds.stream().mapToInt(List::size).sum(), latencies.coverageLost()));
    }
    rows(load.name(), rounds).forEach(session::add);
    session.add(distribution(rounds));
    session.checkStopped();
    session.add(
        Row.notHere(
            load.name() + ".regions",
            "violations detected within 5 s, nodes in several regions",
            "%",
            Printed.figure(99.9, REPORT + ", abstract"),
            "there is one machine; a modelled delay would be between clients and nodes only"));
  }

  private String setting(Budget budget, int violations, long coverageLost) {
    return String.format(
        Locale.ROOT,
        "%,d violations (coverage gaps: %d); %d terms, beta %.0f %%, %.0f %% puts, N=%d R=1 W=1,"
            + " %d clients, %s, %d rounds of %.0f s; from the write that completes a violation until a"
            + " listener has it",
        violations,
        coverageLost,
        load.workload().terms(),
        100 * load.workload().beta(),
        100 * load.workload().puts(),
        ConjunctiveCluster.USUAL.nodes(),
        ConjunctiveCluster.USUAL.clients(),
        load.text(),
        budget.rounds(),
        load.seconds(budget));
  }

  /** Of rounds of latencies in milliseconds. A round without a violation has no share. */
  static List<Row> rows(String table, List<List<Double>> rounds) {
    List<List<Double>> some = rounds.stream().filter(round -> !round.isEmpty()).toList();
    if (some.isEmpty()) {
      throw new IllegalStateException("no violation was detected");
    }
    List<Row> rows = new ArrayList<>();
    rows.add(share(table, 1, null, some));
    rows.add(share(table, 25, null, some));
    rows.add(share(table, 50, Printed.figure(99.9, REPORT + ", abstract"), some));
    rows.add(share(table, 100, Printed.figure(99.944, SOURCE), some));
    rows.add(share(table, 1_000, null, some));
    for (double percent : PERCENTILES) {
      rows.add(
          Row.of(
              table + ".p" + percent,
              "percentile %s".formatted(percent == 99.9 ? "99.9" : "%.0f".formatted(percent)),
              "ms",
              Better.LOWER,
              null,
              some.stream().map(round -> percentile(round, percent)).toList(),
              ""));
    }
    rows.add(
        Row.of(
            table + ".longest",
            "longest of a round",
            "ms",
            Better.LOWER,
            Printed.figure(13_000, SOURCE),
            some.stream().map(round -> percentile(round, 100)).toList(),
            "the printed tail reaches from 1 to 13 s; a longer run has a longer tail"));
    return rows;
  }

  private static Row share(
      String table, double belowMs, @Nullable Printed paper, List<List<Double>> rounds) {
    return Row.of(
        "%s.under-%.0f".formatted(table, belowMs),
        belowMs < MS_PER_SECOND ? "under %.0f ms".formatted(belowMs) : "under 1 s",
        "%",
        Better.HIGHER,
        paper,
        rounds.stream().map(round -> share(round, belowMs)).toList(),
        "");
  }

  /** Percent of the latencies that are below. */
  private static double share(List<Double> millis, double below) {
    return 100.0 * millis.stream().filter(each -> each < below).count() / millis.size();
  }

  /** The least latency that at least so many percent do not exceed. */
  private static double percentile(List<Double> millis, double percent) {
    List<Double> sorted = millis.stream().sorted().toList();
    int rank = (int) Math.ceil(percent / 100 * sorted.size());
    return sorted.get(Math.max(0, rank - 1));
  }

  /** What exceeds a latency, over the latency. */
  private static Curve distribution(List<List<Double>> rounds) {
    List<Double> sorted = rounds.stream().flatMap(List::stream).sorted().toList();
    List<Point> points = new ArrayList<>();
    for (double tail = 1; tail * sorted.size() >= 1; tail /= Math.pow(10, 0.25)) {
      double latency = sorted.get(sorted.size() - (int) Math.floor(tail * sorted.size()));
      points.add(new Point(Math.max(latency, 0.001), 100 * tail));
    }
    return new Curve(
        "Share of the violations that take longer than a latency",
        "latency, ms",
        "longer, %",
        List.of(new Line("all rounds", points)));
  }
}
