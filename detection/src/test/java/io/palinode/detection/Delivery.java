package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.stream.InstanceDetector;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * Delivers a run to a detector: nodes in any order, progress in between, and as it asks to be
 * woken.
 */
final class Delivery {
  private final Random random;
  private final List<List<TraceEvent>> events;
  private final int[] delivered;
  private final UnaryOperator<InstanceDetector> between;
  private final List<Witness> reports = new ArrayList<>();
  private final List<Witness> raised = new ArrayList<>();
  private final List<Ended> ended = new ArrayList<>();
  private final List<Judged> judged = new ArrayList<>();
  private InstanceDetector detector;

  /** The reports with their latest grades when progress {@code hlc} was judged. */
  record Judged(long hlc, Collection<Witness> latest) {}

  /** {@code between} is applied to the detector before every call. */
  Delivery(
      Random random,
      DetectionSpec spec,
      List<List<TraceEvent>> events,
      UnaryOperator<InstanceDetector> between) {
    this.random = random;
    this.events = events;
    this.delivered = new int[events.size()];
    this.between = between;
    this.detector = InstanceDetector.create(spec);
  }

  List<Witness> reports() {
    return reports;
  }

  /** Earlier reports with higher grades, in the order in which the grades rose. */
  List<Witness> raised() {
    return raised;
  }

  /** The ends of earlier reports. */
  List<Ended> ended() {
    return ended;
  }

  /** All reports, each with its latest grade. */
  Collection<Witness> latest() {
    Map<List<CandidateId>, Witness> latest = new LinkedHashMap<>();
    reports.forEach(report -> latest.put(ids(report), report));
    raised.forEach(higher -> latest.put(ids(higher), higher));
    return latest.values();
  }

  private static List<CandidateId> ids(Witness witness) {
    return witness.candidates().stream().map(Candidate::id).toList();
  }

  /** One for each progress. */
  List<Judged> judged() {
    return judged;
  }

  InstanceDetector detector() {
    return detector;
  }

  /** Until every event is delivered and nothing is pending. */
  Delivery run() {
    while (!ready().isEmpty()) {
      deliver();
      if (random.nextInt(4) == 0) {
        progress(bound() - random.nextInt(3) * random.nextLong(1 << 20));
      }
      long wake = detector.wakeAt();
      if (wake <= bound() && random.nextBoolean()) {
        progress(wake + (long) (random.nextDouble() * (bound() - wake)));
      }
    }
    int wakes = 0;
    for (long wake = detector.wakeAt(); wake < Long.MAX_VALUE; wake = detector.wakeAt()) {
      progress(wake);
      assertThat(detector.wakeAt()).as("headway after progress(%d)", wake).isGreaterThan(wake);
      assertThat(++wakes).isLessThan(10_000);
    }
    return this;
  }

  private void deliver() {
    List<Integer> ready = ready();
    int node = ready.get(random.nextInt(ready.size()));
    TraceEvent event = events.get(node).get(delivered[node]++);
    detector = between.apply(detector);
    Candidate candidate = event.candidate();
    reports.addAll(
        event.isOpening() ? detector.opened(candidate) : detector.closed(candidate, "", null));
    raised.addAll(detector.raised());
    ended.addAll(detector.ended());
  }

  void progress(long hlc) {
    detector = between.apply(detector);
    if (detector.wakeAt() > hlc) {
      // A caller that uses wakeAt() may omit this progress.
      judged.add(new Judged(hlc, latest()));
    }
    reports.addAll(detector.progress(hlc));
    raised.addAll(detector.raised());
    ended.addAll(detector.ended());
    judged.add(new Judged(hlc, latest()));
    assertThat(detector.wakeAt())
        .as("headway after progress(%d)", hlc)
        .isGreaterThan(Math.min(hlc, Long.MAX_VALUE - 1));
  }

  private List<Integer> ready() {
    List<Integer> ready = new ArrayList<>();
    for (int node = 0; node < delivered.length; node++) {
      if (delivered[node] < events.get(node).size()) {
        ready.add(node);
      }
    }
    return ready;
  }

  /** The greatest progress that is true: right before the first event that was not delivered. */
  private long bound() {
    long bound = 1L << 62;
    for (int node : ready()) {
      bound = Math.min(bound, events.get(node).get(delivered[node]).own() - 1);
    }
    return bound;
  }
}
