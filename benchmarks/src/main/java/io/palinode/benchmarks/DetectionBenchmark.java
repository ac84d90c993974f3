package io.palinode.benchmarks;

import io.palinode.benchmarks.Measurement.Contender;
import io.palinode.benchmarks.Measurement.Effort;
import io.palinode.benchmarks.Workload.Shape;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How many candidates a second one core judges, beside {@link EveryCombination}. A candidate is an
 * interval: its opening, its closing, and the progress that it asks for.
 */
public final class DetectionBenchmark {
  private static final int MANY = 1_000;
  private static final Double GOAL_OF_PAIRS = 1_000_000.0;
  private static final Double GOAL_OF_MANY = 300_000.0;
  private static final int NODES_OF_GOAL = 5;

  private final Effort effort;
  private final long seed;
  private final LongSupplier nanos;

  /** What is varied. */
  public enum Group {
    /** Many instances, as in reality: 2 and 10 terms, more and less violated. */
    SPREAD,
    /** The same, with more and more terms. */
    TERMS,
    /** One hot instance that has to keep more and more intervals. */
    RETAINED,
    /** Sums of the members of one variable, all of which have a value. */
    TOTAL,
    /** Members of one term, of which one more would be a violation. */
    DISTINCT,
    /** Triggers and their answers. */
    WITHIN,
    /** Lost updates: each candidate is a violation, of the first acceptor. */
    LOST,
    /** Stale and not monotonic reads: the same, of any replica. */
    STALE;

    private boolean isOfOperations() {
      return this == LOST || this == STALE;
    }
  }

  public record Case(Group group, Shape shape) {
    /** Candidates per second; null: no goal is set. */
    public @Nullable Double goal() {
      return switch (group) {
        case SPREAD -> goalOfSpread();
        case TOTAL, DISTINCT -> GOAL_OF_MANY;
        case TERMS, RETAINED, WITHIN, LOST, STALE -> null;
      };
    }

    private @Nullable Double goalOfSpread() {
      if (shape.violated() == 1) {
        return null;
      }
      if (shape.terms() == 2) {
        return GOAL_OF_PAIRS;
      }
      return shape.nodes() == NODES_OF_GOAL ? GOAL_OF_MANY : null;
    }
  }

  /**
   * @param classifying detection that also counts phantoms; null for {@code within}, which has none
   * @param simple null where there is no simple way, or it tries too many combinations
   * @param plain detection of a conjunction of two terms without violations; null unless compared
   * @param reports of detection, in one run
   */
  public record Result(
      Case of,
      Measurement detection,
      @Nullable Measurement classifying,
      @Nullable Measurement simple,
      @Nullable Measurement plain,
      long reports) {
    /** How many times as fast as the simple way. */
    public @Nullable Double ratio() {
      return simple == null ? null : simple.medianNanos() / detection.medianNanos();
    }

    /** How many times the time of a candidate of {@link #plain}. */
    public @Nullable Double plainRatio() {
      return plain == null ? null : detection.medianNanos() / plain.medianNanos();
    }

    /** The time of detection with a count of phantoms, divided by that without. */
    public @Nullable Double classifyingRatio() {
      return classifying == null ? null : classifying.medianNanos() / detection.medianNanos();
    }
  }

  public DetectionBenchmark(Effort effort, long seed, LongSupplier nanos) {
    this.effort = effort;
    this.seed = seed;
    this.nanos = nanos;
  }

  /** Each with so many candidates. */
  public static List<Case> cases(int candidates) {
    List<Case> cases = new ArrayList<>();
    for (int terms : new int[] {2, 10}) {
      for (double violated : terms == 2 ? new double[] {0, 0.01, 1} : new double[] {0, 0.01}) {
        for (int nodes : new int[] {3, 5, 10}) {
          cases.add(spread(Group.SPREAD, terms, nodes, violated, candidates));
        }
      }
    }
    for (int terms : new int[] {2, 5, 10, 20}) {
      cases.add(spread(Group.TERMS, terms, 5, 0.01, candidates));
    }
    for (double violated : new double[] {0, 0.01, 1}) {
      for (int retained : new int[] {10, 100, 1_000}) {
        cases.add(new Case(Group.RETAINED, new Shape(2, 3, violated, 1, retained, candidates)));
      }
    }
    cases.add(new Case(Group.TOTAL, new Shape(1_000, 3, 0, 1, 0, candidates)));
    for (double violated : new double[] {0, 0.01}) {
      int instances = Math.max(1, Math.min(MANY / 10, candidates / 20));
      cases.add(new Case(Group.TOTAL, new Shape(10, 3, violated, instances, 0, candidates)));
    }
    for (double violated : new double[] {0, 0.01}) {
      cases.add(spread(Group.DISTINCT, 2, 3, violated, candidates));
      cases.add(spread(Group.DISTINCT, 10, 3, violated, candidates));
    }
    // 9 active members each, so 1,000 in all.
    int ofMany = Math.max(1, Math.min(MANY / 9, candidates / 20));
    cases.add(new Case(Group.DISTINCT, new Shape(10, 3, 0, ofMany, 0, candidates)));
    for (double violated : new double[] {0, 0.01}) {
      cases.add(spread(Group.WITHIN, 2, 3, violated, candidates));
    }
    cases.add(spread(Group.LOST, 1, 3, 1, candidates));
    cases.add(spread(Group.STALE, 1, 3, 1, candidates));
    return cases;
  }

  private static Case spread(Group group, int terms, int nodes, double violated, int candidates) {
    return new Case(group, new Shape(terms, nodes, violated, instances(candidates), 0, candidates));
  }

  /** Few enough that violations have the time to happen in each. */
  private static int instances(int candidates) {
    return Math.max(1, Math.min(MANY, candidates / 20));
  }

  public Result run(Case of) {
    Workload workload = workload(of);
    long[] reports = {0};
    new Replay(workload, Streaming::new, report -> reports[0]++).forEachRemaining(Runnable::run);
    Group group = of.group();
    Contender detection = contender(workload, Streaming::new);
    Contender classifying = null;
    Contender simple = null;
    Contender plain = null;
    if (group != Group.WITHIN && !group.isOfOperations()) {
      classifying =
          new Contender(
              () -> new Replay(workload, Classifying.ofOneRun(), report -> {}),
              workload.shape().candidates());
    }
    if (group.isOfOperations()) {
      plain = contender(Workload.make(plain(of.shape()), seed), Streaming::new);
    } else if (workload.spec().clauses().get(0).rule() instanceof ClauseRule.All) {
      simple = contender(workload, EveryCombination::new);
    }
    List<Contender> contenders =
        Stream.of(detection, classifying, simple, plain).filter(Objects::nonNull).toList();
    List<Measurement> measured = Measurement.compare(effort, nanos, contenders);
    return new Result(
        of,
        measured.get(0),
        of(classifying, contenders, measured),
        of(simple, contenders, measured),
        of(plain, contenders, measured),
        reports[0]);
  }

  private static @Nullable Measurement of(
      @Nullable Contender one, List<Contender> contenders, List<Measurement> measured) {
    return one == null ? null : measured.get(contenders.indexOf(one));
  }

  private static Shape plain(Shape of) {
    return new Shape(2, of.nodes(), 0, of.instances(), 0, of.candidates());
  }

  private Workload workload(Case of) {
    return switch (of.group()) {
      case SPREAD, TERMS, RETAINED -> Workload.make(of.shape(), seed);
      case TOTAL -> Workload.ofTotal(of.shape(), seed);
      case DISTINCT -> Workload.ofDistinct(of.shape(), seed);
      case WITHIN -> Workload.ofWithin(of.shape(), seed);
      case LOST -> Workload.ofOperations(of.shape(), seed, ReplicaRule.FIRST);
      case STALE -> Workload.ofOperations(of.shape(), seed, ReplicaRule.ANY);
    };
  }

  /** Detection alone. */
  public Measurement run(Shape shape) {
    Workload workload = Workload.make(shape, seed);
    return Measurement.compare(effort, nanos, List.of(contender(workload, Streaming::new))).get(0);
  }

  private static Contender contender(
      Workload workload, Function<DetectionSpec, Detector> detectors) {
    Consumer<Witness> ignored = report -> {};
    return new Contender(
        () -> new Replay(workload, detectors, ignored), workload.shape().candidates());
  }
}
