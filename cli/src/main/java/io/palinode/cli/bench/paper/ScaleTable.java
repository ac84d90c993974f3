package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.DetectionBenchmark;
import io.palinode.benchmarks.Measurement.Effort;
import io.palinode.benchmarks.Workload.Shape;
import io.palinode.benchmarks.paper.Better;
import io.palinode.benchmarks.paper.Curve;
import io.palinode.benchmarks.paper.Curve.Line;
import io.palinode.benchmarks.paper.Curve.Point;
import io.palinode.benchmarks.paper.Fit;
import io.palinode.benchmarks.paper.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** How the cost of a candidate grows with nodes, predicates and terms. */
final class ScaleTable implements PaperTable {
  private static final double VIOLATED = 0.01;
  private static final int INSTANCES = 100;
  private static final int INSTANCES_MAX = 1_000_000;

  /** Of the Java heap. */
  private static final long BYTES_OF_INSTANCES_MAX = 5L << 30;

  /** What is varied, and its values. */
  private enum Quantity {
    NODES("nodes", 3, 5, 10, 20),
    PREDICATES("predicates", 10, 100, 1_000, 10_000, 100_000, INSTANCES_MAX),
    TERMS("terms", 2, 4, 8, 16);

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
    private final List<Integer> values;

    Quantity(String label, Integer... values) {
      this.label = label;
      this.values = List.of(values);
    }

    private Shape shape(int value, int candidates) {
      int instances = Math.min(INSTANCES, Math.max(1, candidates / 20));
      return switch (this) {
        case NODES -> new Shape(2, value, VIOLATED, instances, 0, candidates);
        case PREDICATES -> new Shape(2, 3, VIOLATED, value, 0, Math.max(candidates, value));
        case TERMS -> new Shape(value, 3, VIOLATED, instances, 0, candidates);
      };
    }

    /** Larger ones need more candidates, or a larger heap, than there are. */
    private List<Integer> values(Budget budget) {
      int most = budget.equals(Budget.SMALLEST) ? 100 : budget.candidates() * 10;
      return values.stream()
          .filter(value -> value <= most && (value < INSTANCES_MAX || isHeapEnough()))
          .toList();
    }
  }

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public String title() {
    return "Cost of a candidate by nodes, predicates and terms, and its fitted exponent";
  }

  @Override
  public int steps(Budget budget) {
    return Quantity.values().length * (1 + budget.rounds());
  }

  @Override
  public double stepSeconds(Budget budget) {
    return 2 + 5 * budget.algorithmSeconds();
  }

  @Override
  public void measure(Session session) {
    session.setting(
        "the detection algorithm on one core; %d candidates or one for each predicate, 1 %% of them"
                .formatted(session.budget().candidates())
            + " violated; 2 terms, 3 nodes, 100 predicates where not varied; the exponent is k of"
            + " time ~ quantity^k");
    for (Quantity quantity : Quantity.values()) {
      rows(quantity, session);
    }
    if (!Quantity.PREDICATES.values(session.budget()).contains(INSTANCES_MAX)) {
      session.add(
          Row.notHere(
              "scale.predicates." + INSTANCES_MAX,
              "%,d predicates".formatted(INSTANCES_MAX),
              "ns",
              null,
              "it needs the full size and a larger heap: PALINODE_HEAP=6g"));
    }
    session.add(
        Row.notHere(
            "scale.machines",
            "more nodes and monitors on more machines",
            "exponent",
            null,
            "there is one machine, and one core judges here"));
  }

  private static void rows(Quantity quantity, Session session) {
    Budget budget = session.budget();
    List<Integer> values = quantity.values(budget);
    List<List<Point>> byRound = new ArrayList<>();
    for (int round = 0; round <= budget.rounds(); round++) {
      session.step(
          "%s, %s"
              .formatted(
                  quantity.label,
                  round == 0 ? "warming up" : "round %d of %d".formatted(round, budget.rounds())));
      List<Point> points = new ArrayList<>();
      for (int value : values) {
        session.checkStopped();
        points.add(point(quantity, value, session));
      }
      if (round > 0) {
        byRound.add(points);
      }
    }
    List<List<Point>> byValue =
        IntStream.range(0, values.size())
            .mapToObj(value -> byRound.stream().map(round -> round.get(value)).toList())
            .toList();
    session.add(
        Row.of(
            "scale." + quantity.label,
            quantity.label + ", exponent",
            "exponent",
            Better.LOWER,
            null,
            byRound.stream().map(Fit::exponent).toList(),
            ""));
    for (List<Point> points : byValue) {
      session.add(
          Row.of(
              "scale.%s.%.0f".formatted(quantity.label, points.get(0).x()),
              "%,.0f %s".formatted(points.get(0).x(), quantity.label),
              "ns",
              Better.LOWER,
              null,
              points.stream().map(Point::y).toList(),
              ""));
    }
    session.add(
        new Curve(
            "Time of a candidate by " + quantity.label + ", the fastest round",
            quantity.label,
            "ns a candidate",
            List.of(new Line("ours", byValue.stream().map(ScaleTable::fastest).toList()))));
  }

  private static boolean isHeapEnough() {
    return Runtime.getRuntime().maxMemory() >= BYTES_OF_INSTANCES_MAX;
  }

  private static Point point(Quantity quantity, int value, Session session) {
    Budget budget = session.budget();
    DetectionBenchmark benchmark =
        new DetectionBenchmark(
            new Effort(0, 1, budget.algorithmSeconds()), session.seed(), System::nanoTime);
    Shape shape = quantity.shape(value, budget.candidates());
    return new Point(value, Math.max(1, benchmark.run(shape).medianNanos()));
  }

  private static Point fastest(List<Point> points) {
    return points.stream().min(java.util.Comparator.comparingDouble(Point::y)).orElseThrow();
  }
}
