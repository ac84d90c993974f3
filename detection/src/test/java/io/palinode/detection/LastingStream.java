package io.palinode.detection;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.LastingComputation.Event;
import io.palinode.detection.stream.Detector;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/** Delivers a run: nodes in any order, a write as a whole, progress in between. */
final class LastingStream {
  private final Random random;
  private final LastingComputation run;
  private final UnaryOperator<Detector> between;
  private final int[] delivered;
  private final List<Witness> reports = new ArrayList<>();
  private final List<Witness> raised = new ArrayList<>();
  private final List<Ended> ended = new ArrayList<>();
  private final List<Delivery.Judged> judged = new ArrayList<>();
  private Detector detector;

  LastingStream(Random random, LastingComputation run, UnaryOperator<Detector> between) {
    this.random = random;
    this.run = run;
    this.between = between;
    this.delivered = new int[run.spec().nodes()];
    this.detector = Detector.create(run.spec(), DetectionLimits.DEFAULT);
  }

  LastingStream run() {
    for (List<Integer> ready = ready(); !ready.isEmpty(); ready = ready()) {
      int node = ready.get(random.nextInt(ready.size()));
      run.writes().get(node).get(delivered[node]++).forEach(this::deliver);
      if (random.nextInt(3) == 0) {
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
      assertThat(detector.wakeAt()).as("headway").isGreaterThan(wake);
      assertThat(++wakes).isLessThan(10_000);
    }
    return this;
  }

  private void deliver(Event event) {
    detector = between.apply(detector);
    Candidate candidate = event.candidate();
    if (candidate == null) {
      take(detector.restarted(event.node(), event.incarnation(), event.clock()));
    } else if (candidate.interval().isOpen()) {
      take(detector.opened(candidate));
    } else {
      take(detector.closed(candidate, event.endedBy(), null));
    }
  }

  private void progress(long hlc) {
    detector = between.apply(detector);
    if (detector.wakeAt() > hlc) {
      judged.add(new Delivery.Judged(hlc, latest()));
    }
    take(detector.progress(hlc));
    judged.add(new Delivery.Judged(hlc, latest()));
  }

  private void take(List<Witness> found) {
    reports.addAll(found);
    raised.addAll(detector.raised());
    ended.addAll(detector.ended());
  }

  Collection<Witness> latest() {
    Map<String, Witness> latest = new LinkedHashMap<>();
    reports.forEach(report -> latest.put(name(report), report));
    raised.forEach(higher -> latest.put(name(higher), higher));
    return latest.values();
  }

  private List<Integer> ready() {
    List<Integer> ready = new ArrayList<>();
    for (int node = 0; node < delivered.length; node++) {
      if (delivered[node] < run.writes().get(node).size()) {
        ready.add(node);
      }
    }
    return ready;
  }

  /** Right before the first write that was not delivered. */
  private long bound() {
    long bound = 1L << 62;
    for (int node : ready()) {
      for (Event event : run.writes().get(node).get(delivered[node])) {
        // What an earlier incarnation left open ends one tick before its node's first event.
        int ticks = event.candidate() == null ? 2 : 1;
        bound = Math.min(bound, event.clock().own() - ticks);
      }
    }
    return bound;
  }

  List<Witness> reports() {
    return reports;
  }

  List<Witness> raised() {
    return raised;
  }

  List<Ended> ended() {
    return ended;
  }

  List<Delivery.Judged> judged() {
    return judged;
  }

  Detector detector() {
    return detector;
  }

  private static String name(Witness witness) {
    return witness.clause() + ":" + witness.candidates().stream().map(Candidate::id).toList();
  }
}
