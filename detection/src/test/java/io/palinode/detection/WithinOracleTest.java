package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.WithinComputation.Event;
import io.palinode.detection.WithinComputation.Trigger;
import io.palinode.detection.stream.Detector;
import io.palinode.detection.trace.TraceDetector.Extent;
import io.palinode.detection.trace.TraceSource;
import io.palinode.detection.trace.WithinTrace;
import io.palinode.hvc.Grade;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Clauses with {@code within} against the oracle: streams in random orders of arrival, traces. */
class WithinOracleTest {
  private static final long END = 1L << 62;

  @Test
  void streamsAreJudgedAsTheOracleHasIt() {
    int[] counts = new int[3];
    Seeds.each(
        Seeds.count(),
        random -> {
          WithinComputation run = WithinComputation.random(random, true);
          WithinOracle.Verdict oracle = new WithinOracle(run).verdict();
          Stream stream = new Stream(random, run, detector -> detector);
          stream.run();
          check(oracle, stream);
          for (Witness witness : oracle.witnesses()) {
            counts[witness.grade() == Grade.DEFINITE ? 0 : 1]++;
          }
          counts[2] += oracle.unjudged();
        });
    assertThat(counts[0]).as("definite").isGreaterThan(Seeds.count());
    assertThat(counts[1]).as("possible").isGreaterThan(Seeds.count() / 10);
    assertThat(counts[2]).as("not judged").isGreaterThan(Seeds.count() / 10);
  }

  /** Each checkpoint loses nothing. */
  @Test
  void aRestoredDetectorBehavesAsTheOneThatWasSaved() {
    Seeds.each(
        Seeds.count(500),
        random -> {
          WithinComputation run = WithinComputation.random(random, true);
          Stream stream =
              new Stream(
                  random,
                  run,
                  detector ->
                      Detector.restore(run.spec(), DetectionLimits.DEFAULT, detector.toBytes()));
          stream.run();
          check(new WithinOracle(run).verdict(), stream);
        });
  }

  /** By the true times, which no node knows. */
  @Test
  void definiteViolationsAndAnswersAreTrue() {
    Seeds.each(
        Seeds.count(),
        random -> {
          WithinComputation run = WithinComputation.random(random, true);
          Stream stream = new Stream(random, run, detector -> detector);
          stream.run();
          Map<CandidateId, Grade> reported = new HashMap<>();
          stream.found.forEach(each -> reported.put(each.candidates().get(0).id(), each.grade()));
          WithinOracle oracle = new WithinOracle(run);
          for (Trigger trigger : run.triggers()) {
            Grade grade = reported.get(trigger.candidate().id());
            if (grade == Grade.DEFINITE) {
              assertThat(wasAnswered(run, trigger, 0)).as("%s", trigger).isFalse();
            } else if (grade == null && !oracle.isDoubted(trigger)) {
              long epsilon = run.spec().causality().epsilon().micros();
              assertThat(wasAnswered(run, trigger, epsilon + 1)).as("%s", trigger).isTrue();
            }
          }
        });
  }

  private static boolean wasAnswered(WithinComputation run, Trigger trigger, long slack) {
    long until = trigger.time() + run.spec().within().micros() + slack;
    return run.truth().stream()
        .anyMatch(
            each -> each.from() < until && each.until() > trigger.time() - (slack > 0 ? 1 : 0));
  }

  @Test
  void tracesAreJudgedAsTheOracleHasIt() {
    Seeds.each(
        Seeds.count(),
        random -> {
          WithinComputation all = WithinComputation.random(random, false);
          WithinComputation run =
              new WithinComputation(
                  all.spec(), all.events(), all.triggers(), all.answers(), all.truth(), List.of());
          List<Candidate> trace = new ArrayList<>(run.answers());
          run.triggers().forEach(trigger -> trace.add(trigger.candidate()));
          long until = random.nextBoolean() ? END : last(trace);
          List<Witness> found = new ArrayList<>();
          Extent extent =
              WithinTrace.detect(
                  run.spec(),
                  TraceSource.of(run.spec().nodes(), trace),
                  until,
                  Integer.MAX_VALUE,
                  found::add,
                  () -> {});
          List<Witness> oracle = new ArrayList<>(new WithinOracle(run).verdict().witnesses());
          boolean isCut = oracle.removeIf(witness -> witness.violate() > until);
          assertThat(names(found)).containsExactlyInAnyOrderElementsOf(names(oracle));
          assertThat(found).isSortedAccordingTo((a, b) -> Long.compare(a.violate(), b.violate()));
          if (isCut) {
            assertThat(extent.waiting()).isPositive();
            assertThat(extent.completeBefore()).isGreaterThan(until);
          }
        });
  }

  private static long last(List<Candidate> trace) {
    return trace.stream()
        .mapToLong(
            each ->
                each.interval().end() == null
                    ? each.interval().start().own()
                    : WithinComputation.endOf(each))
        .max()
        .orElse(0);
  }

  private static void check(WithinOracle.Verdict oracle, Stream stream) {
    assertThat(names(stream.found)).containsExactlyInAnyOrderElementsOf(names(oracle.witnesses()));
    assertThat(stream.detector.overflows()).isEqualTo(new Overflows(0, 0, 0, oracle.unjudged()));
    for (Delivery.Judged judged : stream.judged) {
      assertThat(names(judged.latest()))
          .as("until " + judged.hlc())
          .containsAll(
              names(
                  oracle.witnesses().stream()
                      .filter(witness -> witness.violate() <= judged.hlc())
                      .toList()));
    }
  }

  private static List<String> names(Collection<Witness> witnesses) {
    return witnesses.stream()
        .map(
            each ->
                each.candidates().stream().map(Candidate::id).toList()
                    + " "
                    + each.grade()
                    + " "
                    + each.first()
                    + " "
                    + each.violate())
        .toList();
  }

  /** Delivers a run: nodes in any order, progress in between. */
  private static final class Stream {
    private final Random random;
    private final UnaryOperator<Detector> between;
    private final List<List<Event>> rest = new ArrayList<>();
    private final List<Witness> found = new ArrayList<>();
    private final List<Delivery.Judged> judged = new ArrayList<>();
    private Detector detector;

    Stream(Random random, WithinComputation run, UnaryOperator<Detector> between) {
      this.random = random;
      this.between = between;
      this.detector = Detector.create(run.spec(), DetectionLimits.DEFAULT);
      run.events().forEach(events -> rest.add(new ArrayList<>(events)));
    }

    void run() {
      while (rest.stream().anyMatch(events -> !events.isEmpty())) {
        List<Event> events = rest.get(random.nextInt(rest.size()));
        if (!events.isEmpty()) {
          events.remove(0).to().accept(detector);
          detector = between.apply(detector);
        }
        if (random.nextInt(3) == 0) {
          progress(bound() - random.nextInt(3) * random.nextLong(1 << 20));
        }
      }
      for (long wake = detector.wakeAt(); wake < Long.MAX_VALUE; wake = detector.wakeAt()) {
        progress(wake);
        assertThat(detector.wakeAt()).as("headway").isGreaterThan(wake);
      }
    }

    private void progress(long hlc) {
      found.addAll(detector.progress(hlc));
      detector = between.apply(detector);
      judged.add(new Delivery.Judged(hlc, List.copyOf(found)));
    }

    /** Right before what was not delivered. */
    private long bound() {
      return rest.stream()
          .flatMap(List::stream)
          .mapToLong(event -> Objects.requireNonNull(event).at() - 1)
          .min()
          .orElse(END);
    }
  }
}
