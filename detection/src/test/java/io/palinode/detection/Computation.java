package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A random run: nodes whose terms turn true and false, with messages between them.
 *
 * @param events of each node, in its order
 * @param trace the intervals in the end
 */
record Computation(DetectionSpec spec, List<List<TraceEvent>> events, List<Candidate> trace) {
  private static final Epsilon[] EPSILONS = {
    Epsilon.INFINITE,
    Epsilon.ofMicros(0),
    Epsilon.ofMicros(50),
    Epsilon.ofMicros(500),
    Epsilon.ofMicros(5_000)
  };

  static Causality causality(Random random) {
    return new Causality(
        EPSILONS[random.nextInt(EPSILONS.length)],
        random.nextBoolean() ? Uncertainty.CONSERVATIVE : Uncertainty.CAUSAL);
  }

  static Computation random(Random random, Shapes shapes) {
    int nodes = 2 + random.nextInt(4);
    DetectionSpec spec =
        new DetectionSpec(nodes, shapes.some(random), causality(random), ReplicaRule.ANY);
    return new Maker(random, spec).make();
  }

  /** Makes one run. */
  private static final class Maker {
    private final Random random;
    private final DetectionSpec spec;
    private final Nodes nodes;
    private final List<List<TraceEvent>> events = new ArrayList<>();
    private final List<Candidate> trace = new ArrayList<>();
    private final List<@Nullable Candidate> open = new ArrayList<>();
    private final List<Shapes.Variable> variables;
    private final long[] sequences;
    // From long intervals without messages to short ones that every node receives.
    private final double closing;
    private final double talking;

    Maker(Random random, DetectionSpec spec) {
      this.random = random;
      this.spec = spec;
      this.nodes = new Nodes(random, spec.nodes(), spec.causality().epsilon());
      this.variables = Shapes.variables(spec.clauses());
      this.sequences = new long[spec.nodes()];
      this.closing = random.nextInt(3) * 0.45;
      this.talking = 0.1 + random.nextInt(3) * 0.35;
      for (int node = 0; node < spec.nodes(); node++) {
        events.add(new ArrayList<>());
      }
      for (int i = 0; i < spec.nodes() * terms(); i++) {
        open.add(null);
      }
    }

    private int terms() {
      return variables.size();
    }

    Computation make() {
      for (int steps = 10 + random.nextInt(12 * terms()); steps > 0; steps--) {
        nodes.passTime();
        int node = nodes.any();
        if (random.nextDouble() < talking) {
          nodes.request(node);
        } else {
          write(node);
        }
      }
      open.stream().filter(Objects::nonNull).forEach(trace::add);
      return new Computation(spec, events, trace);
    }

    /** One write turns a term or two. Terms of one node are turned false at one HVC. */
    private void write(int node) {
      int first = random.nextDouble() < closing ? anOpenTerm(node) : random.nextInt(terms());
      int second = random.nextInt(4) == 0 ? random.nextInt(terms()) : first;
      Hvc before = nodes.before(node);
      boolean opensFirst = open.get(slot(node, first)) == null;
      boolean opensSecond = open.get(slot(node, second)) == null;
      close(node, first, before);
      close(node, second, before);
      Hvc after = nodes.write(node);
      if (opensFirst) {
        open(node, first, after);
      }
      if (opensSecond && second != first) {
        open(node, second, after);
      }
    }

    /** Of the node, from a random one on; a random one if there is none. */
    private int anOpenTerm(int node) {
      int from = random.nextInt(terms());
      for (int i = 0; i < terms(); i++) {
        if (open.get(slot(node, (from + i) % terms())) != null) {
          return (from + i) % terms();
        }
      }
      return from;
    }

    private void close(int node, int term, Hvc end) {
      Candidate opened = open.get(slot(node, term));
      if (opened != null) {
        Candidate closed = opened.over(opened.interval().closedAt(end));
        open.set(slot(node, term), null);
        trace.add(closed);
        events.get(node).add(new TraceEvent(closed));
      }
    }

    private void open(int node, int term, Hvc start) {
      Shapes.Variable of = variables.get(term);
      Candidate opened =
          new Candidate(
                  of.clause(),
                  of.term(),
                  new CandidateId(node, 0, ++sequences[node]),
                  new Interval(start, null),
                  "",
                  null,
                  Shapes.amount(spec.clauses().get(of.clause()), random),
                  new byte[0])
              .ofMember(of.member());
      open.set(slot(node, term), opened);
      events.get(node).add(new TraceEvent(opened));
    }

    private int slot(int node, int term) {
      return node * terms() + term;
    }
  }
}
