package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.trace.TraceDetector;
import io.palinode.detection.trace.TraceDetector.Report;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.ClauseShape;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * With vector clocks, a violation is reported exactly when some consistent cut of the run, event by
 * event, makes a clause true. Intervals are not known to this oracle.
 */
class ConsistentCutsTest {
  private static final int EVENTS_MAX = 9;

  @ParameterizedTest
  @EnumSource(value = Shapes.class, names = "GROUPS", mode = EnumSource.Mode.EXCLUDE)
  void thereIsAReportExactlyWhenSomeConsistentCutViolates(Shapes shapes) {
    Seeds.each(
        Seeds.count(),
        random -> {
          Run run = new Run(shapes.next(random), random);
          List<Witness> found = new ArrayList<>();
          TraceDetector.detect(run.spec, run.trace, Report.FIRST, found::add, () -> {});
          assertThat(!found.isEmpty()).isEqualTo(run.isViolated(new int[run.nodes()], 0));
        });
  }

  /** An event of a node, and the interval that is under way after it. */
  private record Event(Hvc hvc, @Nullable Candidate holding) {}

  /** Term i, or member i of the term, is about a variable that only node i has. */
  private static final class Run {
    private final ClauseShape shape;
    private final DetectionSpec spec;
    private final List<List<Event>> events = new ArrayList<>();
    private final List<Candidate> trace = new ArrayList<>();

    Run(ClauseShape shape, Random random) {
      int count = shape.isDistinct() ? 2 + random.nextInt(3) : shape.terms();
      this.shape = shape;
      this.spec =
          new DetectionSpec(
              count,
              List.of(shape),
              new Causality(Epsilon.INFINITE, Uncertainty.CONSERVATIVE),
              ReplicaRule.ANY);
      Nodes nodes = new Nodes(random, count, Epsilon.INFINITE);
      for (int node = 0; node < count; node++) {
        events.add(new ArrayList<>(List.of(new Event(Hvc.unknown(count), null))));
      }
      for (int left = EVENTS_MAX * count / 2; left > 0; left--) {
        int node = random.nextInt(count);
        nodes.passTime();
        if (random.nextBoolean()) {
          receive(node, nodes.request(node));
        } else {
          write(node, nodes, random);
        }
      }
      events.forEach(
          ofNode -> {
            Candidate holding = ofNode.get(ofNode.size() - 1).holding();
            if (holding != null) {
              trace.add(holding);
            }
          });
    }

    int nodes() {
      return events.size();
    }

    private @Nullable Candidate holding(int node) {
      return events.get(node).get(events.get(node).size() - 1).holding();
    }

    private void receive(int node, Hvc hvc) {
      events.get(node).add(new Event(hvc, holding(node)));
    }

    private void write(int node, Nodes nodes, Random random) {
      Hvc before = nodes.before(node);
      receive(node, before);
      Candidate ended = holding(node);
      if (ended != null) {
        trace.add(ended.over(new Interval(ended.interval().start(), before)));
      }
      Hvc after = nodes.write(node);
      Candidate begun =
          new Candidate(
                  0,
                  shape.isDistinct() ? 0 : node,
                  new CandidateId(node, 0, events.get(node).size()),
                  new Interval(after, null),
                  "",
                  null,
                  Shapes.amount(shape, random),
                  new byte[0])
              .ofMember(shape.isDistinct() ? "m=" + node : "");
      events.get(node).add(new Event(after, random.nextInt(3) > 0 ? begun : null));
    }

    /**
     * Whether a cut that has {@code cut[node]} events of the nodes before {@code from} violates.
     */
    boolean isViolated(int[] cut, int from) {
      if (from == cut.length) {
        return isConsistent(cut) && holds(cut);
      }
      for (cut[from] = 0; cut[from] < events.get(from).size(); cut[from]++) {
        if (isViolated(cut, from + 1)) {
          return true;
        }
      }
      return false;
    }

    /** No event of the cut depends on an event outside the cut. */
    private boolean isConsistent(int[] cut) {
      for (int node = 0; node < cut.length; node++) {
        for (int other = 0; other < cut.length; other++) {
          if (at(other, cut).hvc().get(node) > at(node, cut).hvc().get(node)) {
            return false;
          }
        }
      }
      return true;
    }

    private boolean holds(int[] cut) {
      List<Candidate> holding = new ArrayList<>();
      for (int node = 0; node < cut.length; node++) {
        Candidate candidate = at(node, cut).holding();
        if (candidate != null) {
          holding.add(candidate);
        }
      }
      if (shape.rule() instanceof ClauseRule.Sum sum && shape.isDistinct()) {
        return hasTotal(sum, holding, new ArrayList<>(), 0);
      }
      if (shape.rule() instanceof ClauseRule.AtLeast some) {
        return holding.size() >= some.count();
      }
      return holding.size() == cut.length
          && (!(shape.rule() instanceof ClauseRule.Sum sum) || sum.holds(Shapes.sum(sum, holding)));
    }

    /** Whether some of {@code holding}, as many as the rule adds up, have such a sum. */
    private boolean hasTotal(
        ClauseRule.Sum sum, List<Candidate> holding, List<Candidate> chosen, int from) {
      if (chosen.size() == shape.intervalsMax()) {
        return sum.holds(Shapes.sum(sum, chosen));
      }
      for (int i = from; i < holding.size(); i++) {
        chosen.add(holding.get(i));
        boolean found = hasTotal(sum, holding, chosen, i + 1);
        chosen.remove(chosen.size() - 1);
        if (found) {
          return true;
        }
      }
      return false;
    }

    private Event at(int node, int[] cut) {
      return events.get(node).get(cut[node]);
    }
  }
}
