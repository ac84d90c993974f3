package io.palinode.benchmarks;

import io.palinode.detection.Candidate;
import io.palinode.detection.CandidateId;
import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import io.palinode.predicate.template.Decimal;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * The events of a cluster whose nodes open and close candidates, in the order of their arrival, on
 * a virtual clock.
 *
 * <p>In each instance a candidate begins every {@link #GAP_MICROS}, of the next term, at any node.
 * It ends before the one that would complete a violation begins: so all terms but one hold at any
 * time, and nothing is violated. A candidate that is to complete a violation finds the oldest still
 * holding.
 */
public final class Workload {
  /** Between the starts of an instance's candidates, give or take a tenth. */
  static final long GAP_MICROS = 10_000;

  /** How often nodes say how far they are. */
  static final long PROGRESS_MICROS = 5_000;

  /** From the node that is nearest to detection to the one that is farthest. */
  static final long DELAY_MICROS = 2_000;

  /** With distinct: members that exist, for each that may hold at once. */
  private static final int MEMBERS_PER_HOLDER = 10;

  private static final Epsilon EPSILON = Epsilon.ofMicros(1_000);
  private static final long BEGIN_MICROS = 1_700_000_000_000_000L;

  /**
   * What to make.
   *
   * @param violated the share of candidates that complete a violation
   * @param instances predicate instances that the candidates are spread over
   * @param retained intervals that an instance has to keep, because one node has no candidates and
   *     its progress lags; 0: all nodes have some, and progress is in time
   */
  public record Shape(
      int terms, int nodes, double violated, int instances, int retained, int candidates) {
    public Shape {
      if (terms < 1 || nodes < 2 || instances < 1 || candidates < instances) {
        throw new IllegalArgumentException(
            "a workload has a term, 2 nodes, and a candidate for each instance, or more: terms="
                + terms
                + " nodes="
                + nodes
                + " instances="
                + instances
                + " candidates="
                + candidates);
      }
    }
  }

  /** An opening or a closing; when it reaches detection, in microseconds from the begin. */
  record Event(int instance, long atMicros, Candidate candidate) {
    /** A copy of all objects that a decoder would allocate. */
    Event copy() {
      CandidateId id = candidate.id();
      Interval interval = candidate.interval();
      Hvc end = interval.end();
      return new Event(
          instance,
          atMicros,
          new Candidate(
                  candidate.clause(),
                  candidate.term(),
                  new CandidateId(id.node(), id.incarnation(), id.sequence()),
                  new Interval(copy(interval.start()), end == null ? null : copy(end)),
                  copy(candidate.version()),
                  candidate.origin(),
                  candidate.amount(),
                  candidate.payload().clone())
              .ofMember(candidate.member().isEmpty() ? "" : copy(candidate.member())));
    }

    private static Hvc copy(Hvc hvc) {
      long[] entries = new long[hvc.nodes()];
      Arrays.setAll(entries, hvc::get);
      return Hvc.of(hvc.owner(), entries);
    }

    private static String copy(String text) {
      return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
  }

  private final Shape shape;
  private final DetectionSpec spec;
  private final List<Event> events;

  private Workload(Shape shape, DetectionSpec spec, List<Event> events) {
    this.shape = shape;
    this.spec = spec;
    this.events = events;
  }

  /** The same events for the same seed. */
  public static Workload make(Shape shape, long seed) {
    return of(shape, seed, Kind.ALL, ClauseShape.all(shape.terms()));
  }

  /**
   * The same of one term with {@code distinct}: so many members as {@code shape} has terms are a
   * violation, and one less holds at any time.
   */
  public static Workload ofDistinct(Shape shape, long seed) {
    ClauseRule rule = new ClauseRule.AtLeast(shape.terms(), "m");
    return of(shape, seed, Kind.DISTINCT, new ClauseShape(rule, List.of(1)));
  }

  /**
   * A trigger, and the answer to it {@link #GAP_MICROS} later, in turns. For the share of {@code
   * violated}, the answer is missing, and the next one is too late for the trigger.
   */
  public static Workload ofWithin(Shape shape, long seed) {
    ClauseRule rule = new ClauseRule.Within(Duration.ofNanos(2_500 * GAP_MICROS));
    return of(shape, seed, Kind.WITHIN, new ClauseShape(rule, List.of(1, 1)));
  }

  /**
   * Operations of clients: one term alone, which is true of each candidate until the next operation
   * on its key. So each candidate is a violation.
   */
  public static Workload ofOperations(Shape shape, long seed, ReplicaRule replicas) {
    return of(shape, seed, Kind.OPERATIONS, ClauseShape.all(1), replicas);
  }

  private static Workload of(Shape shape, long seed, Kind kind, ClauseShape clause) {
    return of(shape, seed, kind, clause, ReplicaRule.ANY);
  }

  private static Workload of(
      Shape shape, long seed, Kind kind, ClauseShape clause, ReplicaRule replicas) {
    DetectionSpec spec =
        new DetectionSpec(
            shape.nodes(),
            List.of(clause),
            new Causality(EPSILON, Uncertainty.CONSERVATIVE),
            replicas);
    return new Workload(shape, spec, new Maker(shape, new Random(seed), kind).events());
  }

  /**
   * The same of one term with so many members as {@code shape} has terms, whose values must add up
   * to their number. Each write ends the member's interval and begins its next one, of the value 1;
   * or of another one, for the share of {@code violated}.
   */
  public static Workload ofTotal(Shape shape, long seed) {
    int members = shape.terms();
    ClauseRule total =
        new ClauseRule.Sum(
            ClauseRule.Relation.NOT_EQUALS,
            new Decimal(BigDecimal.valueOf(members)),
            List.of(),
            new ClauseRule.Sum.Members(members, "m"));
    return of(shape, seed, Kind.TOTAL, new ClauseShape(total, List.of(1)));
  }

  Shape shape() {
    return shape;
  }

  DetectionSpec spec() {
    return spec;
  }

  List<Event> events() {
    return events;
  }

  /** What all nodes have said when it is {@code atMicros}: no earlier event is to come. */
  long watermark(long atMicros) {
    long lagMicros = DELAY_MICROS + shape.retained() * GAP_MICROS;
    return Hlc.ofMicros(Math.max(1, BEGIN_MICROS + atMicros - lagMicros)) - 1;
  }

  /** A candidate before its clocks are read. */
  private record Plan(
      int instance, int term, int node, long sequence, long start, long end, boolean violates) {}

  /** One end of a plan. */
  private record Moment(Plan plan, boolean opens) {
    long micros() {
      return opens ? plan.start() : plan.end();
    }
  }

  /** What the candidates are of. */
  private enum Kind {
    ALL,
    TOTAL,
    DISTINCT,
    WITHIN,
    OPERATIONS
  }

  private static final class Maker {
    private final Shape shape;
    private final Random random;
    private final Kind kind;
    private long now;

    Maker(Shape shape, Random random, Kind kind) {
      this.shape = shape;
      this.random = random;
      this.kind = kind;
    }

    List<Event> events() {
      List<Moment> moments = new ArrayList<>();
      for (int instance = 0; instance < shape.instances(); instance++) {
        for (Plan plan : plans(instance)) {
          moments.add(new Moment(plan, true));
          moments.add(new Moment(plan, false));
        }
      }
      moments.sort(Comparator.comparingLong(Moment::micros));
      List<Event> events = read(moments);
      events.sort(Comparator.comparingLong(Event::atMicros));
      return events;
    }

    private List<Plan> plans(int instance) {
      int count = shape.candidates() / shape.instances();
      int open = beforeNext();
      long[] starts = new long[count + open];
      long offset = random.nextLong(GAP_MICROS);
      for (int i = 0; i < starts.length; i++) {
        starts[i] = offset + i * GAP_MICROS + random.nextLong(GAP_MICROS / 10);
      }
      int speaking = shape.retained() > 0 ? shape.nodes() - 1 : shape.nodes();
      List<Plan> plans = new ArrayList<>();
      boolean late = false;
      for (int i = 0; i < count; i++) {
        int term = term(i, late);
        late = random.nextDouble() < shape.violated();
        int node = kind == Kind.TOTAL ? term % speaking : random.nextInt(speaking);
        long end = end(starts[i], starts[i + open], late);
        plans.add(new Plan(instance, term, node, i + 1, starts[i], end, late));
      }
      return plans;
    }

    /** How many candidates begin after one, until it ends. */
    private int beforeNext() {
      return switch (kind) {
        case TOTAL, OPERATIONS -> shape.terms();
        case ALL, DISTINCT, WITHIN -> shape.terms() - 1;
      };
    }

    /** The term, or the member of the only one. */
    private int term(int number, boolean afterLate) {
      return switch (kind) {
        case ALL, TOTAL, OPERATIONS -> number % shape.terms();
        case DISTINCT -> number % (MEMBERS_PER_HOLDER * shape.terms());
        case WITHIN -> afterLate ? 0 : number % 2;
      };
    }

    /** It still holds when what completes a violation begins, or ends well before that. */
    private long end(long start, long completing, boolean late) {
      return switch (kind) {
        case ALL, DISTINCT -> completing + (late ? GAP_MICROS : -GAP_MICROS) / 4;
        case TOTAL, OPERATIONS -> completing - 1;
        case WITHIN -> start + GAP_MICROS / 2;
      };
    }

    private List<Event> read(List<Moment> moments) {
      List<HvcClock> clocks = new ArrayList<>();
      for (int node = 0; node < shape.nodes(); node++) {
        clocks.add(
            new HvcClock(
                node, shape.nodes(), EPSILON, () -> BEGIN_MICROS + now, Duration.ofSeconds(1)));
      }
      Hvc[][] starts = new Hvc[shape.instances()][shape.candidates() / shape.instances() + 1];
      List<Event> events = new ArrayList<>(moments.size());
      for (Moment moment : moments) {
        now = moment.micros();
        Plan plan = moment.plan();
        HvcClock clock = clocks.get(plan.node());
        // A writer has mostly read somewhere else before.
        Hvc reading =
            random.nextBoolean()
                ? clock.tick()
                : clock.tick(clocks.get(random.nextInt(clocks.size())).last());
        if (moment.opens()) {
          starts[plan.instance()][(int) plan.sequence()] = reading;
        }
        Hvc start = starts[plan.instance()][(int) plan.sequence()];
        Interval interval = new Interval(start, moment.opens() ? null : reading);
        events.add(new Event(plan.instance(), arrival(plan.node()), candidate(plan, interval)));
      }
      return events;
    }

    private long arrival(int node) {
      return now + node * DELAY_MICROS / shape.nodes();
    }

    private Candidate candidate(Plan plan, Interval interval) {
      CandidateId id = new CandidateId(plan.node(), 1, plan.sequence());
      String version = "s/k" + plan.term() + "@" + plan.sequence();
      if (kind == Kind.DISTINCT) {
        return new Candidate(0, 0, id, interval, version, plan.node(), new byte[0])
            .ofMember("m=" + plan.term());
      }
      if (kind == Kind.TOTAL) {
        BigDecimal amount = plan.violates() ? BigDecimal.TEN : BigDecimal.ONE;
        return new Candidate(0, 0, id, interval, version, plan.node(), amount, new byte[0])
            .ofMember("m=" + plan.term());
      }
      return new Candidate(0, plan.term(), id, interval, version, plan.node(), new byte[0]);
    }
  }
}
