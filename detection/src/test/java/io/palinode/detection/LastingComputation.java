package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A random run of clauses with {@code for}: versions that follow each other, siblings, deletes and
 * restarts.
 *
 * @param writes of each node, in its order: the events of one write together
 * @param intervals in the end, with what ended them
 */
record LastingComputation(
    DetectionSpec spec, List<List<List<Event>>> writes, List<Ended> intervals) {
  private static final long[] TIMES = {1, 20, 200, 2_000, 20_000};
  private static final long[] MILLIS = {1_000, 2_000, 20_000};

  /**
   * @param candidate null for a restart
   */
  record Event(
      int node, long incarnation, Hvc clock, @Nullable Candidate candidate, String endedBy) {}

  /**
   * An interval, what ended it, and the true times of both.
   *
   * @param until {@code Long.MAX_VALUE} while it is open
   */
  record Ended(Candidate candidate, String endedBy, long from, long until) {
    TermPlace place() {
      return new TermPlace(
          candidate.clause(),
          candidate.term(),
          candidate.member(),
          candidate.id().node(),
          candidate.amount() == null ? null : candidate.amount().stripTrailingZeros());
    }
  }

  record TermPlace(int clause, int term, String member, int node, @Nullable BigDecimal amount) {}

  static LastingComputation random(Random random, Shapes shapes, boolean restarts) {
    return random(random, shapes, restarts, TIMES);
  }

  /** With times that a predicate's text can name. */
  static LastingComputation ofMillis(Random random, Shapes shapes) {
    return random(random, shapes, true, MILLIS);
  }

  private static LastingComputation random(
      Random random, Shapes shapes, boolean restarts, long[] times) {
    int nodes = 2 + random.nextInt(3);
    List<ClauseShape> clauses = new ArrayList<>();
    for (ClauseShape shape : shapes.some(random)) {
      boolean lasts = clauses.isEmpty() || random.nextInt(4) > 0;
      clauses.add(lasts ? lasting(shape, random, times) : shape);
    }
    Causality causality =
        new Causality(
            Epsilon.ofMicros(new long[] {0, 50, 500, 5_000}[random.nextInt(4)]),
            random.nextBoolean() ? Uncertainty.CONSERVATIVE : Uncertainty.CAUSAL);
    return new Maker(random, new DetectionSpec(nodes, clauses, causality, ReplicaRule.ANY))
        .make(restarts);
  }

  private static ClauseShape lasting(ClauseShape shape, Random random, long[] times) {
    long micros = times[random.nextInt(times.length)] * (1 + random.nextInt(6));
    return new ClauseShape(shape.rule(), shape.termsOf(), Duration.of(micros, ChronoUnit.MICROS));
  }

  /** Makes one run. */
  private static final class Maker {
    private final Random random;
    private final DetectionSpec spec;
    private final Nodes nodes;
    private final List<Shapes.Variable> variables;
    private final List<List<List<Event>>> writes = new ArrayList<>();
    private final List<Ended> intervals = new ArrayList<>();
    private final Map<List<Integer>, List<Ended>> open = new HashMap<>();
    private final Map<Integer, @Nullable BigDecimal> amounts = new HashMap<>();
    private final long[] sequences;
    private final long[] incarnations;
    private long versions;

    Maker(Random random, DetectionSpec spec) {
      this.random = random;
      this.spec = spec;
      this.nodes = new Nodes(random, spec.nodes(), spec.causality().epsilon());
      this.variables = Shapes.variables(spec.clauses());
      this.sequences = new long[spec.nodes()];
      this.incarnations = new long[spec.nodes()];
      for (int node = 0; node < spec.nodes(); node++) {
        writes.add(new ArrayList<>());
        incarnations[node] = 1;
      }
    }

    LastingComputation make(boolean restarts) {
      double talking = 0.1 + random.nextInt(3) * 0.3;
      // Each value of a variable is an interval of a sum, and the oracle tries each combination.
      boolean ofSum =
          spec.clauses().stream().anyMatch(shape -> shape.rule() instanceof ClauseRule.Sum);
      int most = (ofSum ? 4 : 12) * variables.size();
      for (int steps = 10 + random.nextInt(most); steps > 0; steps--) {
        nodes.passTime();
        int node = nodes.any();
        if (random.nextDouble() < talking) {
          nodes.request(node);
        } else if (restarts && random.nextInt(20) == 0) {
          restart(node);
        } else {
          write(node);
        }
      }
      open.values().forEach(intervals::addAll);
      return new LastingComputation(spec, writes, intervals);
    }

    private void write(int node) {
      int variable = random.nextInt(variables.size());
      List<Ended> held = open.computeIfAbsent(List.of(node, variable), k -> new ArrayList<>());
      String version = "k@" + ++versions;
      Hvc before = nodes.before(node);
      List<Event> events = new ArrayList<>();
      // Of what is open: all, some or nothing is superseded, by a version that satisfies or not.
      int kind = held.isEmpty() ? 0 : random.nextInt(5);
      boolean satisfies = kind < 3;
      int superseded = kind == 1 ? 0 : kind == 2 ? 1 : held.size();
      for (int left = superseded; left > 0; left--) {
        String endedBy = kind == 4 ? "" : version;
        events.add(close(held.remove(random.nextInt(held.size())), before, endedBy));
      }
      Hvc after = nodes.write(node);
      if (satisfies) {
        events.add(open(node, variable, version, amount(variable), after, held));
      }
      writes.get(node).add(events);
    }

    private Event close(Ended opened, Hvc before, String endedBy) {
      Candidate closed = opened.candidate().over(opened.candidate().interval().closedAt(before));
      intervals.add(new Ended(closed, endedBy, opened.from(), nodes.now()));
      return new Event(closed.id().node(), closed.id().incarnation(), before, closed, endedBy);
    }

    /** Half of the time the variable's last one, maybe in another form. */
    private @Nullable BigDecimal amount(int variable) {
      ClauseShape shape = spec.clauses().get(variables.get(variable).clause());
      BigDecimal last = amounts.get(variable);
      BigDecimal amount =
          last != null && random.nextBoolean() ? last : Shapes.amount(shape, random);
      amounts.put(variable, amount);
      return amount == null ? null : amount.setScale(random.nextInt(2));
    }

    private Event open(
        int node,
        int variable,
        String version,
        @Nullable BigDecimal amount,
        Hvc after,
        List<Ended> held) {
      Shapes.Variable of = variables.get(variable);
      Candidate opened =
          new Candidate(
                  of.clause(),
                  of.term(),
                  new CandidateId(node, incarnations[node], ++sequences[node]),
                  new Interval(after, null),
                  version,
                  null,
                  amount,
                  new byte[0])
              .ofMember(of.member());
      held.add(new Ended(opened, "", nodes.now(), Long.MAX_VALUE));
      return new Event(node, incarnations[node], after, opened, "");
    }

    /** What was open ends right before; some of it opens again. */
    private void restart(int node) {
      incarnations[node]++;
      Hvc first = nodes.write(node);
      writes.get(node).add(List.of(new Event(node, incarnations[node], first, null, "")));
      for (int variable = 0; variable < variables.size(); variable++) {
        List<Ended> held = open.getOrDefault(List.of(node, variable), new ArrayList<>());
        List<Ended> before = List.copyOf(held);
        held.clear();
        for (Ended ended : before) {
          Hvc start = ended.candidate().interval().start();
          Hvc end = first.withOwn(Math.max(first.own() - 1, start.own()));
          intervals.add(
              new Ended(
                  ended.candidate().over(new Interval(start, end)), "", ended.from(), nodes.now()));
          if (random.nextBoolean()) {
            String version = ended.candidate().version();
            Hvc again = nodes.before(node);
            BigDecimal amount = ended.candidate().amount();
            writes.get(node).add(List.of(open(node, variable, version, amount, again, held)));
          }
        }
      }
    }
  }
}
