package io.palinode.orchestrator;

import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.SimulatedNode.Held;
import io.palinode.orchestrator.plan.PastPlan;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Finds every pair of overlapping intervals that completes a clause in the newest epoch, reports it
 * sooner or later, but before it judges its time, and sometimes again.
 */
final class SimulatedMonitor {
  private final World world;
  private final Random random;
  private final long lagMaxMicros;
  private final Map<String, Violation> reported = new LinkedHashMap<>();
  private long judged;

  /** {@code lagMaxMicros}: the most by which a violation is dated too late. */
  SimulatedMonitor(World world, Random random, long lagMaxMicros) {
    this.world = world;
    this.random = random;
    this.lagMaxMicros = lagMaxMicros;
  }

  /** Reports some violations early, or one again. */
  void reportSome() {
    for (Violation violation : found()) {
      if (random.nextInt(3) == 0 && !reported.containsKey(violation.getId())) {
        report(violation);
      }
    }
    if (!reported.isEmpty() && random.nextInt(4) == 0) {
      List<Violation> all = List.copyOf(reported.values());
      world.violation(all.get(random.nextInt(all.size())));
    }
  }

  void judge() {
    long progress = world.progress();
    for (Violation violation : found()) {
      if (violation.getViolate() <= progress && !reported.containsKey(violation.getId())) {
        report(violation);
      }
    }
    judged = Math.max(judged, progress);
    world.judged(progress);
  }

  long judgedMax() {
    return judged;
  }

  boolean hasReportedAll() {
    return found().stream().allMatch(v -> reported.containsKey(v.getId()));
  }

  List<Violation> reported() {
    return List.copyOf(reported.values());
  }

  private void report(Violation violation) {
    reported.put(violation.getId(), violation);
    world.violation(violation);
  }

  private List<Violation> found() {
    List<Held> all = world.intervals();
    long epoch = all.stream().mapToLong(h -> h.epoch).max().orElse(0);
    List<Violation> found = new ArrayList<>();
    List<Held> newest = all.stream().filter(h -> h.epoch == epoch).toList();
    for (Held a : newest) {
      for (Held b : newest) {
        if (completes(a, b)) {
          found.add(violation(a, b));
        }
      }
    }
    return found;
  }

  private static boolean completes(Held a, Held b) {
    return a.variable.term() == 0
        && b.variable.term() == 1
        && a.variable.binding() == b.variable.binding()
        && a.variable.predicate().equals(b.variable.predicate())
        && a.overlaps(b);
  }

  private Violation violation(Held a, Held b) {
    String id =
        a.variable.predicate() + ":" + a.node + "@" + a.start + "+" + b.node + "@" + b.start;
    PastPlan opened = world.truth().plans().pastPlan(a.epoch);
    long start = Math.max(a.start, b.start);
    // Detectors date intervals that hold at the start of an epoch to that start.
    boolean isExact = lagMaxMicros == 0 || (opened != null && start <= opened.clock() + 1);
    long lag = isExact ? 0 : Math.floorMod(id.hashCode() * 31L, lagMaxMicros);
    boolean vague = Math.floorMod(id.hashCode(), 7) == 0;
    return Violation.newBuilder()
        .setId(id)
        .setPredicate(a.variable.predicate())
        .setPredicateVersion(1)
        .setBinding("b=" + a.variable.binding())
        .setEpoch(a.epoch)
        .setGrade(vague ? ViolationGrade.UNCERTAIN : ViolationGrade.POSSIBLE)
        .setFirst(Math.min(a.start, b.start))
        .setViolate(start + (lag << Hlc.COUNTER_BITS))
        .build();
  }
}
