package io.palinode.detection;

import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A random run over replicated variables, one for each term. One node accepts a version first, and
 * its copies reach the others later or never. A node keeps the newest version. The trace has one
 * joined interval for each version.
 */
final class ReplicatedComputation {
  private final Random random;
  private final DetectionSpec spec;
  private final Nodes nodes;
  private final List<List<TraceEvent>> events = new ArrayList<>();
  private final List<Copy> underWay = new ArrayList<>();
  private final List<Variable> variables = new ArrayList<>();
  private final long[] sequences;

  private ReplicatedComputation(Random random, DetectionSpec spec) {
    this.random = random;
    this.spec = spec;
    this.nodes = new Nodes(random, spec.nodes(), spec.causality().epsilon());
    this.sequences = new long[spec.nodes()];
    for (int node = 0; node < spec.nodes(); node++) {
      events.add(new ArrayList<>());
    }
    for (Shapes.Variable of : Shapes.variables(spec.clauses())) {
      variables.add(new Variable(of, spec.nodes()));
    }
  }

  static Computation random(Random random, Shapes shapes) {
    int nodes = 2 + random.nextInt(3);
    List<ClauseShape> clauses = shapes.some(random);
    return new ReplicatedComputation(
            random,
            new DetectionSpec(nodes, clauses, Computation.causality(random), ReplicaRule.FIRST))
        .make();
  }

  /** A version of a variable; {@code holds} if it makes the term true, in a sum with an amount. */
  private record Version(
      int number, boolean holds, @Nullable Integer origin, @Nullable BigDecimal amount) {}

  /** A version on its way to a replica. */
  private record Copy(Variable variable, Version version, int to, Hvc message) {}

  /** One term's variable, on every node. */
  private static final class Variable {
    private final Shapes.Variable of;
    private final Version[] versions;
    private final @Nullable Candidate[] open;
    private int written;

    Variable(Shapes.Variable of, int nodes) {
      this.of = of;
      this.versions = new Version[nodes];
      this.open = new @Nullable Candidate[nodes];
      java.util.Arrays.fill(versions, new Version(0, false, null, null));
    }
  }

  private Computation make() {
    if (random.nextInt(3) == 0) {
      findState();
    }
    for (int steps = 10 + random.nextInt(15 * variables.size()); steps > 0; steps--) {
      nodes.passTime();
      switch (random.nextInt(4)) {
        case 0 -> nodes.request(nodes.any());
        case 1 -> write(variables.get(random.nextInt(variables.size())), nodes.any());
        default -> arrive();
      }
    }
    return new Computation(spec, events, joined());
  }

  /** The nodes begin with versions whose origin is not known. */
  private void findState() {
    for (Variable variable : variables) {
      Version version =
          new Version(++variable.written, random.nextBoolean(), null, amount(variable));
      for (int node = 0; node < spec.nodes(); node++) {
        if (random.nextInt(3) > 0) {
          accept(variable, version, node, nodes.before(node));
        }
      }
    }
  }

  private void write(Variable variable, int node) {
    Version version =
        new Version(++variable.written, random.nextInt(3) > 0, node, amount(variable));
    Hvc before = nodes.before(node);
    Hvc after = nodes.request(node);
    replace(variable, version, node, before, after);
    for (int to = 0; to < spec.nodes(); to++) {
      if (to != node && random.nextInt(5) > 0) {
        underWay.add(new Copy(variable, version, to, after));
      }
    }
  }

  private @Nullable BigDecimal amount(Variable variable) {
    return Shapes.amount(spec.clauses().get(variable.of.clause()), random);
  }

  private void arrive() {
    if (!underWay.isEmpty()) {
      Copy copy = underWay.remove(random.nextInt(underWay.size()));
      Hvc before = nodes.before(copy.to);
      Hvc after = nodes.receive(copy.to, copy.message);
      replace(copy.variable, copy.version, copy.to, before, after);
    }
  }

  private void replace(Variable variable, Version version, int node, Hvc before, Hvc after) {
    if (version.number <= variable.versions[node].number) {
      return;
    }
    Candidate open = variable.open[node];
    if (open != null) {
      variable.open[node] = null;
      events
          .get(node)
          .add(new TraceEvent(open.over(new Interval(open.interval().start(), before))));
    }
    accept(variable, version, node, after);
  }

  private void accept(Variable variable, Version version, int node, Hvc after) {
    variable.versions[node] = version;
    if (version.holds) {
      Candidate opened =
          new Candidate(
                  variable.of.clause(),
                  variable.of.term(),
                  new CandidateId(node, 0, ++sequences[node]),
                  new Interval(after, null),
                  "v" + version.number,
                  version.origin,
                  version.amount,
                  new byte[0])
              .ofMember(variable.of.member());
      variable.open[node] = opened;
      events.get(node).add(new TraceEvent(opened));
    }
  }

  static String key(Candidate candidate) {
    return candidate.clause()
        + "/"
        + candidate.term()
        + "/"
        + candidate.member()
        + "/"
        + candidate.version();
  }

  /** From the node that accepted a version first to the node that superseded it first. */
  private List<Candidate> joined() {
    TreeMap<String, Candidate> starts = new TreeMap<>();
    TreeMap<String, Hvc> ends = new TreeMap<>();
    for (List<TraceEvent> ofNode : events) {
      for (TraceEvent event : ofNode) {
        Candidate candidate = event.candidate();
        Hvc end = candidate.interval().end();
        String key = key(candidate);
        if (end != null) {
          ends.merge(key, end, (one, other) -> other.own() < one.own() ? other : one);
        } else if (candidate.origin() == null || candidate.origin() == candidate.id().node()) {
          starts.merge(
              key,
              candidate,
              (one, other) ->
                  other.interval().start().own() < one.interval().start().own() ? other : one);
        }
      }
    }
    List<Candidate> joined = new ArrayList<>();
    starts.forEach(
        (key, start) ->
            joined.add(start.over(new Interval(start.interval().start(), ends.get(key)))));
    return joined;
  }
}
