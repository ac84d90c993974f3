package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.Phantoms.Decided;
import io.palinode.detection.Phantoms.Outcome;
import io.palinode.detection.stream.InstanceDetector;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ReplicaRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reports of {@code replicas: any} on random replicated runs, against joins made by hand. */
class PhantomsOracleTest {
  private static final String SCOPE = "an instance";

  @ParameterizedTest
  @EnumSource(value = Shapes.class, names = "GROUPS", mode = EnumSource.Mode.EXCLUDE)
  void aReportIsAPhantomExactlyWhenItsJoinedIntervalsAreNotConcurrent(Shapes shapes) {
    Map<Outcome, Integer> outcomes = new HashMap<>();
    Seeds.each(
        Seeds.count(),
        random -> {
          Run run = new Run(random, ReplicatedComputation.random(random, shapes));
          for (Decided<String> decided : run.decided()) {
            assertThat(decided.outcome())
                .as("%s", decided.witness())
                .isEqualTo(run.oracle(decided.witness()));
            outcomes.merge(decided.outcome(), 1, Integer::sum);
          }
          assertThat(run.decided()).as("each once").hasSize(run.reports);
        });
    assertThat(outcomes.get(Outcome.PHANTOM)).isGreaterThan(Seeds.count() / 10);
    assertThat(outcomes.get(Outcome.REAL)).isGreaterThan(Seeds.count() / 10);
  }

  /** One run, its events delivered in a random order of nodes. */
  private static final class Run {
    private final DetectionSpec spec;
    private final Map<String, Candidate> joined = new TreeMap<>();
    private final Phantoms<String> phantoms = new Phantoms<>(100_000, 100_000);
    private final List<Decided<String>> decided = new ArrayList<>();
    private int reports;

    Run(Random random, Computation run) {
      spec =
          new DetectionSpec(
              run.spec().nodes(), run.spec().clauses(), run.spec().causality(), ReplicaRule.ANY);
      run.trace().forEach(candidate -> joined.put(ReplicatedComputation.key(candidate), candidate));
      deliver(random, run.events());
    }

    List<Decided<String>> decided() {
      return decided;
    }

    Outcome oracle(Witness witness) {
      BruteForce oracle = new BruteForce(spec.causality());
      List<Interval> intervals = witness.candidates().stream().map(this::interval).toList();
      for (int i = 0; i < intervals.size(); i++) {
        for (int j = 0; j < i; j++) {
          if (!oracle.areConcurrent(intervals.get(i), intervals.get(j))) {
            return Outcome.PHANTOM;
          }
        }
      }
      return Outcome.REAL;
    }

    private Interval interval(Candidate candidate) {
      return Objects.requireNonNull(joined.get(ReplicatedComputation.key(candidate))).interval();
    }

    private void deliver(Random random, List<List<TraceEvent>> events) {
      InstanceDetector detector = InstanceDetector.create(spec);
      int[] delivered = new int[events.size()];
      int left = events.stream().mapToInt(List::size).sum();
      while (left > 0) {
        int node = random.nextInt(events.size());
        if (delivered[node] < events.get(node).size()) {
          Candidate candidate = events.get(node).get(delivered[node]++).candidate();
          left--;
          phantoms.observed(SCOPE, candidate);
          take(
              candidate.interval().isOpen()
                  ? detector.opened(candidate)
                  : detector.closed(candidate, "", null));
          long bound = bound(events, delivered);
          if (random.nextBoolean()) {
            take(detector.progress(bound));
            decided.addAll(phantoms.passed(bound));
          }
        }
      }
      take(detector.progress(Long.MAX_VALUE - 1));
      decided.addAll(phantoms.passed(Long.MAX_VALUE - 1));
      assertThat(phantoms.nextAt()).isEqualTo(Long.MAX_VALUE);
    }

    private void take(List<Witness> found) {
      reports += found.size();
      found.forEach(witness -> phantoms.reported(SCOPE, spec.causality(), witness));
    }

    private static long bound(List<List<TraceEvent>> events, int[] delivered) {
      long bound = 1L << 62;
      for (int node = 0; node < delivered.length; node++) {
        if (delivered[node] < events.get(node).size()) {
          bound = Math.min(bound, events.get(node).get(delivered[node]).own() - 1);
        }
      }
      return bound;
    }
  }
}
