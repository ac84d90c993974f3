package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.search.Budget;
import io.palinode.detection.trace.TraceDetector;
import io.palinode.detection.trace.TraceDetector.Bounds;
import io.palinode.detection.trace.TraceDetector.Report;
import io.palinode.detection.trace.TraceSource;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Detection on whole traces against the oracle. */
class TraceDetectorOracleTest {
  @ParameterizedTest
  @EnumSource
  void theReportsOfATraceEqualThoseOfTheOracle(Shapes shapes) {
    Seeds.each(Seeds.count(), random -> check(Computation.random(random, shapes), random));
  }

  @ParameterizedTest
  @EnumSource(value = Shapes.class, names = "GROUPS", mode = EnumSource.Mode.EXCLUDE)
  void theReportsOfAReplicatedTraceEqualThoseOfTheOracle(Shapes shapes) {
    Seeds.each(
        Seeds.count(), random -> check(ReplicatedComputation.random(random, shapes), random));
  }

  /** A recording may hold anything; only own entries are sure to rise. */
  @ParameterizedTest
  @EnumSource
  void tracesWhoseClocksGoBackAreJudgedPairByPair(Shapes shapes) {
    Seeds.each(
        Seeds.count(),
        random -> {
          Computation run = Computation.random(random, shapes);
          check(new Computation(run.spec(), events(run, random), List.of()), random);
        });
  }

  /** The same intervals with other nodes' entries at random. */
  private static List<List<TraceEvent>> events(Computation run, Random random) {
    return run.events().stream()
        .map(
            ofNode ->
                ofNode.stream()
                    .map(TraceEvent::candidate)
                    .collect(
                        Collectors.toMap(
                            Candidate::id, c -> c, (opened, closed) -> closed, LinkedHashMap::new))
                    .values()
                    .stream()
                    .map(candidate -> new TraceEvent(muddled(candidate, random)))
                    .toList())
        .toList();
  }

  private static Candidate muddled(Candidate candidate, Random random) {
    Hvc end = candidate.interval().end();
    return candidate.over(
        new Interval(
            muddled(candidate.interval().start(), random),
            end == null ? null : muddled(end, random)));
  }

  private static Hvc muddled(Hvc hvc, Random random) {
    long[] entries = new long[hvc.nodes()];
    for (int node = 0; node < entries.length; node++) {
      boolean keeps = node == hvc.owner() || random.nextInt(3) > 0;
      entries[node] = keeps ? hvc.get(node) : hvc.own() - random.nextLong(1L << 27);
    }
    return Hvc.of(hvc.owner(), entries);
  }

  /** With a limit: all reports are right, and none is missing up to the judged time. */
  @ParameterizedTest
  @EnumSource
  void aTraceThatMeetsTheLimitReportsFromWhenOnViolationsMayBeMissing(Shapes shapes) {
    int[] cut = {0};
    Seeds.each(
        Seeds.count(1_000),
        random -> {
          Computation run = Computation.random(random, shapes);
          List<Candidate> lines = interleaved(run, random);
          List<Witness> oracle = BruteForce.witnesses(run.spec(), run.trace());
          List<Witness> all = new ArrayList<>();
          TraceDetector.Extent extent =
              TraceDetector.detect(
                  run.spec(),
                  TraceSource.of(run.spec().nodes(), lines),
                  Report.ALL,
                  new Bounds(1 + random.nextInt(8), new Budget(Long.MAX_VALUE)),
                  all::add,
                  () -> {});
          assertThat(graded(oracle)).as("sound").containsAll(graded(all));
          List<Witness> judged =
              oracle.stream().filter(w -> w.violate() < extent.completeBefore()).toList();
          assertThat(graded(all)).as("whole up to there").containsAll(graded(judged));
          assertThat(extent.isWhole()).isEqualTo(extent.completeBefore() == Long.MAX_VALUE);
          cut[0] += extent.isWhole() ? 0 : 1;
        });
    assertThat(cut[0]).as("traces that met the limit").isGreaterThan(Seeds.count(1_000) / 5);
  }

  private static void check(Computation run, Random random) {
    List<Candidate> lines = interleaved(run, random);
    List<Witness> oracle =
        BruteForce.witnesses(run.spec(), run.trace().isEmpty() ? lines : run.trace());
    List<Witness> all = detect(run.spec(), lines, Report.ALL);
    assertThat(all.stream().map(TraceDetectorOracleTest::graded).sorted().toList())
        .as("all")
        .isEqualTo(oracle.stream().map(TraceDetectorOracleTest::graded).sorted().toList());

    List<Witness> cover = detect(run.spec(), lines, Report.COVER);
    Covering.check(oracle, cover);
    assertThat(graded(oracle)).as("sound").containsAll(graded(cover));
    assertThat(cover)
        .as("in order")
        .isSortedAccordingTo((a, b) -> Long.compare(a.violate(), b.violate()));
    assertThat(cover.size())
        .as("no more reports than intervals and grades")
        .isLessThanOrEqualTo(3 * lines.size());

    List<Witness> first = detect(run.spec(), lines, Report.FIRST);
    assertThat(first).as("first").hasSize(oracle.isEmpty() ? 0 : 1);
    long earliest = oracle.stream().mapToLong(Witness::violate).min().orElse(0);
    first.forEach(witness -> assertThat(witness.violate()).isEqualTo(earliest));
  }

  /** The lines of a recorded trace: of a node in its order, of different nodes in any order. */
  private static List<Candidate> interleaved(Computation run, Random random) {
    List<List<Candidate>> perNode = new ArrayList<>();
    for (List<TraceEvent> events : run.events()) {
      List<Candidate> lines = new ArrayList<>();
      for (TraceEvent event : events) {
        lines.removeIf(line -> line.id().equals(event.candidate().id()));
        lines.add(event.candidate());
      }
      lines.sort(Comparator.comparingLong(line -> line.interval().start().own()));
      perNode.add(lines);
    }
    Collections.shuffle(perNode, random);
    List<Candidate> lines = new ArrayList<>();
    perNode.forEach(lines::addAll);
    return lines;
  }

  private static List<Witness> detect(DetectionSpec spec, List<Candidate> lines, Report report) {
    List<Witness> witnesses = new ArrayList<>();
    TraceDetector.detect(spec, lines, report, witnesses::add, () -> {});
    return witnesses;
  }

  private static Set<String> graded(List<Witness> witnesses) {
    return new HashSet<>(witnesses.stream().map(TraceDetectorOracleTest::graded).toList());
  }

  private static String graded(Witness witness) {
    return witness.clause()
        + ":"
        + witness.candidates().stream().map(Candidate::id).toList()
        + witness.grade();
  }
}
