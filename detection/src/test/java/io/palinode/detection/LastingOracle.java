package io.palinode.detection;

import io.palinode.detection.LastingComputation.Ended;
import io.palinode.detection.LastingComputation.TermPlace;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The slow, obvious oracle of {@code for}: runs are joined pair by pair, and each run counts from
 * its start plus the time on, as it is defined.
 */
final class LastingOracle {
  private LastingOracle() {}

  /**
   * A run: when it began and ended, by clocks and in truth.
   *
   * @param candidate the interval that began it, with the end of the run
   */
  record Run(Candidate candidate, long from, long until) {}

  /** All runs, of whatever length; those of clauses without {@code for} are single intervals. */
  static List<Run> runs(DetectionSpec spec, List<Ended> intervals) {
    Map<TermPlace, List<Ended>> places = new LinkedHashMap<>();
    intervals.stream()
        .sorted(Comparator.comparingLong(ended -> ended.candidate().interval().start().own()))
        .forEach(ended -> places.computeIfAbsent(ended.place(), k -> new ArrayList<>()).add(ended));
    List<Run> runs = new ArrayList<>();
    places.forEach(
        (place, ofPlace) -> {
          if (spec.clauses().get(place.clause()).lasts()) {
            join(ofPlace).forEach(run -> runs.add(run(run)));
          } else {
            ofPlace.forEach(ended -> runs.add(run(List.of(ended))));
          }
        });
    return runs;
  }

  /** Until no two parts are joined: they overlap, or one is continued by the other. */
  private static List<List<Ended>> join(List<Ended> intervals) {
    List<List<Ended>> parts = new ArrayList<>();
    intervals.forEach(ended -> parts.add(new ArrayList<>(List.of(ended))));
    for (int one = 0; one < parts.size(); one++) {
      for (int other = one + 1; other < parts.size(); other++) {
        if (areJoined(parts.get(one), parts.get(other))) {
          parts.get(one).addAll(parts.remove(other));
          other = one;
        }
      }
    }
    return parts;
  }

  private static boolean areJoined(List<Ended> some, List<Ended> others) {
    return some.stream().anyMatch(one -> others.stream().anyMatch(each -> areJoined(one, each)));
  }

  private static boolean areJoined(Ended one, Ended other) {
    Hvc end = one.candidate().interval().end();
    Hvc otherEnd = other.candidate().interval().end();
    long start = one.candidate().interval().start().own();
    long otherStart = other.candidate().interval().start().own();
    boolean overlap =
        (end == null || otherStart <= end.own()) && (otherEnd == null || start <= otherEnd.own());
    // A version that is found again after a restart continues nothing.
    boolean sameIncarnation =
        one.candidate().id().incarnation() == other.candidate().id().incarnation();
    return overlap || (sameIncarnation && (continues(one, other) || continues(other, one)));
  }

  private static boolean continues(Ended one, Ended next) {
    return !one.endedBy().isEmpty() && one.endedBy().equals(next.candidate().version());
  }

  private static Run run(List<Ended> parts) {
    Ended first = parts.get(0);
    Ended last = parts.get(0);
    for (Ended each : parts) {
      first =
          each.candidate().interval().start().own() < first.candidate().interval().start().own()
              ? each
              : first;
      Hvc end = last.candidate().interval().end();
      Hvc other = each.candidate().interval().end();
      last = end != null && (other == null || other.own() > end.own()) ? each : last;
    }
    Interval whole =
        new Interval(first.candidate().interval().start(), last.candidate().interval().end());
    return new Run(first.candidate().over(whole), first.from(), last.until());
  }

  /** All violations, with the grades that they have in the end. */
  static List<Witness> witnesses(DetectionSpec spec, List<Ended> intervals) {
    List<Candidate> late = new ArrayList<>();
    Map<CandidateId, Candidate> runs = new LinkedHashMap<>();
    for (Run run : runs(spec, intervals)) {
      Candidate candidate = run.candidate();
      ClauseShape clause = spec.clauses().get(candidate.clause());
      Hvc from = plus(candidate.interval().start(), clause, spec);
      Hvc end = candidate.interval().end();
      if (end == null || end.own() >= from.own()) {
        late.add(candidate.over(new Interval(from, end)));
        runs.put(candidate.id(), candidate);
      }
    }
    return BruteForce.witnesses(spec, late).stream()
        .map(
            witness -> {
              List<Candidate> named =
                  witness.candidates().stream().map(each -> runs.get(each.id())).toList();
              return new Witness(
                  witness.clause(),
                  named,
                  witness.grade(),
                  Witness.first(named),
                  witness.violate());
            })
        .toList();
  }

  /** Own entry plus the time; no other entry more than ε below that. */
  private static Hvc plus(Hvc start, ClauseShape clause, DetectionSpec spec) {
    if (clause.heldFor().isZero()) {
      return start;
    }
    long own = start.own() + ((clause.heldFor().toNanos() / 1_000) << Hlc.COUNTER_BITS);
    long[] entries = new long[start.nodes()];
    for (int node = 0; node < entries.length; node++) {
      entries[node] =
          Math.max(
              start.get(node), own - (spec.causality().epsilon().micros() << Hlc.COUNTER_BITS));
    }
    entries[start.owner()] = own;
    return Hvc.of(start.owner(), entries);
  }
}
