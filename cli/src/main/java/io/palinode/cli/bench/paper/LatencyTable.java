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

  @Override
  public String name() {
    return "latency";
  }

  @Override
  public String title() {
    return "Detection latency of conjunctive violations, with the store in it";
  }

  @Override
  public int steps(Budget budget) {
    return 1 + WARM_UP_ROUNDS + budget.rounds();
  }

  @Override
  public double stepSeconds(Budget budget) {
    return budget.seconds() + 2;
  }

  @Override
  @SuppressWarnings("try") // The load is a resource for its close alone.
  public void measure(Session session) throws IOException, InterruptedException {
    Budget budget = session.budget();
    session.step("starting the cluster");
    List<List<Double>> rounds = new ArrayList<>();
    try (ConjunctiveCluster cluster = ConjunctiveCluster.start(WORKLOAD, true);
        ViolationLatencies latencies = cluster.latencies()) {
      for (int round = 1 - WARM_UP_ROUNDS; round <= budget.rounds(); round++) {
        if (session.isStopped() && !rounds.isEmpty()) {
          break;
        }
        session.step(
            round <= 0 ? "warming up" : "round %d of %d".formatted(round, budget.rounds()));
        try (StoreLoad load = cluster.load()) {
          TimeUnit.MILLISECONDS.sleep(Math.round(budget.seconds() * MS_PER_SECOND));
        }
        List<Double> millis = latencies.take();
        if (round > 0) {
          rounds.add(millis);
        }
      }
      session.setting(
          setting(budget, rounds.stream().mapToInt(List::size).sum(), latencies.coverageLost()));
    }
    rows(rounds).forEach(session::add);
    session.add(distribution(rounds));
    session.checkStopped();
    session.add(
        Row.notHere(
            "latency.regions",
            "violations detected within 5 s, nodes in several regions",
            "%",
            Printed.figure(99.9, REPORT + ", abstract"),
            "there is one machine; a modelled delay would be between clients and nodes only"));
  }

  private static String setting(Budget budget, int violations, long coverageLost) {
    return String.format(
        Locale.ROOT,
        "%,d violations (coverage gaps: %d); %d terms, beta %.0f %%, %.0f %% puts, N=%d R=1 W=1,"
            + " %d clients, %d rounds of %.0f s; from the write that completes a violation until a"
            + " listener has it",
        violations,
        coverageLost,
        WORKLOAD.terms(),
        100 * WORKLOAD.beta(),
        100 * WORKLOAD.puts(),
        ConjunctiveCluster.NODES,
        ConjunctiveCluster.CLIENTS,
        budget.rounds(),
        budget.seconds());
  }

  /** Of rounds of latencies in milliseconds. A round without a violation has no share. */
  static List<Row> rows(List<List<Double>> rounds) {
    List<List<Double>> some = rounds.stream().filter(round -> !round.isEmpty()).toList();
    if (some.isEmpty()) {
      throw new IllegalStateException("no violation was detected");
    }
    List<Row> rows = new ArrayList<>();
    rows.add(share("1", 1, null, some));
    rows.add(share("25", 25, null, some));
    rows.add(share("50", 50, Printed.figure(99.9, REPORT + ", abstract"), some));
    rows.add(share("100", 100, Printed.figure(99.944, SOURCE), some));
    rows.add(share("1000", 1_000, null, some));
    for (double percent : PERCENTILES) {
      rows.add(
          Row.of(
              "latency.p" + percent,
              "percentile %s".formatted(percent == 99.9 ? "99.9" : "%.0f".formatted(percent)),
              "ms",
              Better.LOWER,
              null,
              some.stream().map(round -> percentile(round, percent)).toList(),
              ""));
    }
    rows.add(
        Row.of(
            "latency.longest",
            "longest of a round",
            "ms",
            Better.LOWER,
            Printed.figure(13_000, SOURCE),
            some.stream().map(round -> percentile(round, 100)).toList(),
            "the printed tail reaches from 1 to 13 s; a longer run has a longer tail"));
    return rows;
  }

  private static Row share(
      String id, double belowMs, @Nullable Printed paper, List<List<Double>> rounds) {
    return Row.of(
        "latency.under-" + id,
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
