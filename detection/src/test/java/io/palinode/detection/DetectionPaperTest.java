package io.palinode.detection;

import static io.palinode.detection.Given.at;
import static io.palinode.detection.Given.candidate;
import static io.palinode.detection.Given.causal;
import static io.palinode.detection.Given.conservative;
import static io.palinode.detection.Given.firstReplicas;
import static io.palinode.detection.Given.names;
import static io.palinode.detection.Given.version;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.stream.InstanceDetector;
import io.palinode.detection.trace.TraceDetector;
import io.palinode.detection.trace.TraceDetector.Report;
import io.palinode.hvc.Grade;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The claims of the papers that detection implements: "Optimistic Execution in Key-Value Store"
 * (OEKVS), Garg and Waldecker 1994 (GW), Chase and Garg 1998 (CG).
 */
class DetectionPaperTest {
  /** OEKVS §III: an execution in which two terms held at one moment of some consistent cut. */
  @Test
  void intervalsWithoutAMessageBetweenThemAreConcurrent() {
    assertThat(
            cover(
                causal(2, "inf", 2),
                candidate(0, 0, 1, "100/0", "200/0"),
                candidate(1, 1, 1, "0/900", "0/950")))
        .containsExactly("0:1 1:1");
  }

  /** OEKVS §III: an end that the other's start knows of, ε before it. */
  @Test
  void aMessageFromTheEndToTheStartOrdersThem() {
    Candidate i = candidate(0, 0, 1, "100/0", "200/0");
    Candidate j = candidate(1, 1, 1, "200/210", "200/300");
    assertThat(cover(causal(2, "inf", 2), i, j)).isEmpty();
    assertThat(cover(conservative(2, "10us", 2), i, j)).isEmpty();
  }

  /** OEKVS §III, the uncertain case: ordered, but closer than ε, and treated as concurrent. */
  @Test
  void whatIsOrderedWithinEpsilonIsAnUncertainViolation() {
    Candidate i = candidate(0, 0, 1, "100/0", "200/0");
    Candidate j = candidate(1, 1, 1, "200/209", "200/300");
    List<Witness> found = detect(conservative(2, "10us", 2), Report.COVER, i, j);
    assertThat(found).extracting(Witness::grade).containsExactly(Grade.UNCERTAIN);
    assertThat(cover(causal(2, "10us", 2), i, j)).isEmpty();
  }

  /** GW, theorem on weak conjunctive predicates: pairwise concurrency is enough for a cut. */
  @Test
  void aWitnessNeedsOneIntervalOfEachTermPairwiseConcurrent() {
    Candidate a = candidate(0, 0, 1, "100/0/0", "200/0/0");
    Candidate b = candidate(1, 1, 1, "0/150/0", "0/250/0");
    Candidate afterA = candidate(2, 2, 1, "200/0/300", "200/0/400");
    Candidate free = candidate(2, 2, 2, "200/0/500", "200/0/600");
    assertThat(cover(causal(3, "inf", 3), a, b, afterA)).isEmpty();
    Candidate laterA = candidate(0, 0, 2, "300/0/0", "400/0/0");
    assertThat(cover(causal(3, "inf", 3), a, laterA, b, afterA)).containsExactly("0:2 1:1 2:1");
    assertThat(cover(causal(3, "inf", 3), a, laterA, b, free)).containsExactly("0:2 1:1 2:2");
  }

  /** CG §4: a head that is before another head is before all that follow, and is passed. */
  @Test
  void aForbiddenHeadIsPassedAndTheNextOneIsFound() {
    List<Candidate> trace = new ArrayList<>();
    for (int i = 1; i <= 50; i++) {
      trace.add(
          candidate(0, 0, i, 100 * i + "/" + (100 * i - 5), 100 * i + 40 + "/" + (100 * i - 5)));
      trace.add(
          candidate(
              1, 1, i, 100 * i + 40 + "/" + (100 * i + 50), 100 * i + 40 + "/" + (100 * i + 90)));
    }
    trace.add(candidate(0, 0, 51, "5100/5095", null));
    trace.add(candidate(1, 1, 51, "5060/5100", null));
    assertThat(cover(causal(2, "inf", 2), trace.toArray(Candidate[]::new)))
        .containsExactly("0:51 1:51");
  }

  /** The page's promise: every interval of some witness is in a report, few reports do. */
  @Test
  void reportsCoverEveryIntervalAndAllEnumeratesEveryCombination() {
    List<Candidate> trace = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      trace.add(candidate(0, 0, i, i * 100 + "/0", i * 100 + 50 + "/0"));
      trace.add(candidate(1, 1, i, "0/" + i * 100, "0/" + (i * 100 + 50)));
    }
    Candidate[] all = trace.toArray(Candidate[]::new);
    List<Witness> cover = detect(causal(2, "inf", 2), Report.COVER, all);
    Set<CandidateId> named = new HashSet<>();
    cover.forEach(witness -> witness.candidates().forEach(c -> named.add(c.id())));
    assertThat(named).hasSize(20);
    assertThat(cover).hasSizeLessThanOrEqualTo(20);
    assertThat(names(detect(causal(2, "inf", 2), Report.ALL, all)))
        .hasSize(100)
        .doesNotHaveDuplicates();
    assertThat(names(detect(causal(2, "inf", 2), Report.FIRST, all))).containsExactly("0:1 1:1");
  }

  /** A variable is stored on several nodes, and so is its term. */
  @Test
  void aTermMayHoldAtAnyNodeAndTwoTermsAtOne() {
    Candidate x = candidate(0, 0, 1, "100/0", "200/0");
    Candidate xCopy = candidate(1, 0, 1, "150/160", "150/260");
    Candidate y = candidate(1, 1, 2, "200/240", "200/300");
    assertThat(cover(causal(2, "inf", 2), x, xCopy, y)).containsExactly("1:1 1:2");
  }

  /** The page, "Replicas": the writer's actions count, not the state of a slow replica. */
  @Test
  void aLaggingReplicaMakesAPhantomUnlessReplicasAreJoined() {
    DetectionSpec any = causal(3, "10us", 2);
    Candidate[] trace = {
      version(0, 0, 1, "100/0/0", "300/250/250", "x@1", 0),
      version(1, 0, 1, "100/120/0", "300/900/800", "x@1", 0),
      version(2, 1, 1, "300/400/410", "300/400/500", "y@1", 2),
    };
    assertThat(cover(any, trace)).containsExactly("1:1 2:1");
    assertThat(cover(firstReplicas(any), trace)).isEmpty();
  }

  /** The page: the violation's first moment is that at which the last of them began. */
  @Test
  void aViolationBeginsWithItsLastWitness() {
    Witness found =
        detect(
                causal(2, "inf", 2),
                Report.COVER,
                candidate(0, 0, 1, "100/0", null),
                candidate(1, 1, 1, "0/170", null))
            .get(0);
    assertThat(found.first()).isEqualTo(at(100));
    assertThat(found.violate()).isEqualTo(at(170));
  }

  /** CG §2: detection must not depend on how the observer interleaves processes. */
  @Test
  void theOrderOfArrivalBetweenNodesChangesNoVerdict() {
    List<List<Candidate>> events = new ArrayList<>();
    events.add(
        List.of(candidate(0, 0, 1, "100/0/0", null), candidate(0, 0, 1, "100/0/0", "180/0/0")));
    events.add(
        List.of(
            candidate(1, 1, 1, "150/160/0", null), candidate(1, 1, 1, "150/160/0", "150/400/0")));
    events.add(List.of(candidate(2, 2, 1, "180/170/190", null)));
    events.add(List.of(candidate(0, 0, 2, "300/0/0", null)));
    for (int seed = 0; seed < 100; seed++) {
      assertThat(arrive(events, new Random(seed)))
          .as("seed=%d", seed)
          .containsExactly("0:2 1:1 2:1");
    }
  }

  private static List<String> arrive(List<List<Candidate>> events, Random random) {
    InstanceDetector detector = InstanceDetector.create(causal(3, "inf", 3));
    List<List<Candidate>> left = new ArrayList<>();
    left.add(new ArrayList<>(events.get(0)));
    left.get(0).addAll(events.get(3));
    left.add(new ArrayList<>(events.get(1)));
    left.add(new ArrayList<>(events.get(2)));
    List<Witness> found = new ArrayList<>();
    while (!left.isEmpty()) {
      Collections.shuffle(left, random);
      Candidate next = left.get(0).remove(0);
      found.addAll(
          next.interval().isOpen() ? detector.opened(next) : detector.closed(next, "", null));
      left.removeIf(List::isEmpty);
    }
    found.addAll(detector.progress(Long.MAX_VALUE));
    return names(found);
  }

  private static List<String> cover(DetectionSpec spec, Candidate... trace) {
    return names(detect(spec, Report.COVER, trace));
  }

  private static List<Witness> detect(DetectionSpec spec, Report report, Candidate... trace) {
    List<Witness> found = new ArrayList<>();
    TraceDetector.detect(spec, List.of(trace), report, found::add, () -> {});
    return found;
  }
}
