package io.palinode.detection;

import io.palinode.detection.WithinComputation.Trigger;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The slow, obvious oracle of {@code within}. The HLCs of an answer are δ ahead of the trigger's
 * clock, for some δ between −ε and ε. An answer is in time for all, some or none of these δ.
 */
final class WithinOracle {
  private final WithinComputation run;
  private final long time;
  private final long epsilon;

  WithinOracle(WithinComputation run) {
    this.run = run;
    this.time = Hlc.ofMicros(run.spec().within().micros());
    this.epsilon = Hlc.ofMicros(run.spec().causality().epsilon().micros());
  }

  /** What is reported, and how many are not judged. */
  record Verdict(List<Witness> witnesses, int unjudged) {}

  Verdict verdict() {
    List<Witness> witnesses = new ArrayList<>();
    int unjudged = 0;
    for (Trigger trigger : run.triggers()) {
      Candidate candidate = trigger.candidate();
      List<Candidate> some = new ArrayList<>();
      boolean isAnswered = false;
      for (Candidate answer : run.answers()) {
        isAnswered |= isInTime(candidate, answer);
        if (mayBeInTime(candidate, answer)) {
          some.add(answer);
        }
      }
      if (!isAnswered && isDoubted(trigger)) {
        unjudged++;
      } else if (!isAnswered) {
        witnesses.add(witness(candidate, some));
      }
    }
    return new Verdict(witnesses, unjudged);
  }

  private boolean isInTime(Candidate trigger, Candidate answer) {
    Hvc start = trigger.interval().start();
    return leastDelta(start, answer) == -epsilon && greatestDelta(start, answer) == epsilon;
  }

  /** For some δ, but not for all. */
  boolean mayBeInTime(Candidate trigger, Candidate answer) {
    Hvc start = trigger.interval().start();
    return !isInTime(trigger, answer) && leastDelta(start, answer) <= greatestDelta(start, answer);
  }

  /** The answer begins before the time is over if δ is at least that. */
  private long leastDelta(Hvc trigger, Candidate answer) {
    Hvc start = answer.interval().start();
    long over = trigger.own() + time;
    boolean happenedBefore = trigger.get(start.owner()) >= start.own();
    return happenedBefore ? -epsilon : Math.max(-epsilon, start.own() - over);
  }

  /** The answer ends after the trigger began if δ is at most that. */
  private long greatestDelta(Hvc trigger, Candidate answer) {
    Hvc end = answer.interval().end();
    if (end == null) {
      return epsilon;
    }
    if (end.owner() == trigger.owner()) {
      return end.own() >= trigger.own() ? epsilon : -epsilon - 1;
    }
    boolean happenedAfter = end.get(trigger.owner()) >= trigger.own();
    boolean happenedBefore =
        run.spec().causality().ignoresClocks() && trigger.get(end.owner()) >= end.own();
    return happenedAfter
        ? epsilon
        : happenedBefore ? -epsilon - 1 : Math.min(epsilon, end.own() - trigger.own());
  }

  boolean isDoubted(Trigger trigger) {
    long start = trigger.candidate().interval().start().own();
    return run.doubts().stream()
        .anyMatch(
            doubt ->
                doubt.to() >= start - epsilon
                    && doubt.from() <= start + epsilon + (doubt.opensOnly() ? 0 : time));
  }

  private Witness witness(Candidate trigger, List<Candidate> some) {
    List<Candidate> named = new ArrayList<>(List.of(trigger));
    some.stream()
        .min(
            Comparator.<Candidate>comparingLong(each -> each.interval().start().own())
                .thenComparingInt(each -> each.id().node())
                .thenComparingLong(each -> each.id().incarnation())
                .thenComparingLong(each -> each.id().sequence()))
        .ifPresent(named::add);
    return witness(named);
  }

  /** As if the answer were one that may be in time. */
  Witness possible(Candidate trigger, Candidate answer) {
    return witness(List.of(trigger, answer));
  }

  private Witness witness(List<Candidate> named) {
    long start = named.get(0).interval().start().own();
    Grade grade = named.size() == 1 ? Grade.DEFINITE : Grade.POSSIBLE;
    return new Witness(0, named, grade, start, start + time + epsilon);
  }
}
