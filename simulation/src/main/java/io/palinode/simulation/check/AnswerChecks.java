package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.simulation.check.CoverageChecks.Losses;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.ViolationGrade;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A clause with {@code within}, written once more as it is defined: each trigger that a client
 * wrote, against all answers that nodes committed, whatever was published.
 */
public final class AnswerChecks implements SingleChecks {
  private final long time;
  private final long epsilon;

  /** Whether an answer is in time, by all, some or no clocks within ε. */
  private enum InTime {
    NO,
    MAYBE,
    YES
  }

  public AnswerChecks(long timeMicros, long epsilonMicros) {
    this.time = Hlc.ofMicros(timeMicros);
    this.epsilon = Hlc.ofMicros(epsilonMicros);
  }

  /** Whether it is a trigger. One that a node found, and a copy, was asked before. */
  boolean asks(@Nullable Interval interval) {
    return interval != null
        && interval.subject.term() == 0
        && !interval.found
        && (interval.origin == null || interval.origin == interval.watch.node());
  }

  /** Of a trigger without an answer. */
  @Override
  public long violate(Interval trigger) {
    return trigger.start.own() + time + epsilon;
  }

  @Override
  public boolean isHidden(Losses losses, Interval trigger, long violate) {
    return losses.haveTrigger(trigger, violate);
  }

  private InTime answered(Interval trigger, Collection<Interval> ended) {
    InTime best = InTime.NO;
    for (Interval answer : ended) {
      if (trigger.pairsWith(answer)
          && answer.watch.epoch() == trigger.watch.epoch()
          && answer.watch.predicateVersion() == trigger.watch.predicateVersion()) {
        InTime inTime = inTime(trigger.start, answer.start, answer.end);
        best = inTime.compareTo(best) > 0 ? inTime : best;
      }
    }
    return best;
  }

  private InTime inTime(Hvc trigger, Hvc start, @Nullable Hvc end) {
    InTime begins = begins(trigger, start);
    InTime ends = end == null ? InTime.YES : ends(trigger, end);
    return begins.compareTo(ends) < 0 ? begins : ends;
  }

  private InTime begins(Hvc trigger, Hvc start) {
    long late = start.own() - trigger.own() - time;
    boolean isBefore = trigger.get(start.owner()) >= start.own();
    return isBefore || late <= -epsilon ? InTime.YES : late > epsilon ? InTime.NO : InTime.MAYBE;
  }

  private InTime ends(Hvc trigger, Hvc end) {
    if (end.owner() == trigger.owner()) {
      return end.own() >= trigger.own() ? InTime.YES : InTime.NO;
    }
    long lasts = end.own() - trigger.own();
    boolean isAfter = end.get(trigger.owner()) >= trigger.own();
    return isAfter || lasts >= epsilon ? InTime.YES : lasts < -epsilon ? InTime.NO : InTime.MAYBE;
  }

  /** {@inheritDoc} So is a trigger to which no answer was surely in time. */
  @Override
  public void requireSound(
      Collection<Violation> reported,
      Function<Violation, @Nullable Interval> triggers,
      Collection<Interval> ended) {
    for (Violation violation : reported) {
      Interval trigger = triggers.apply(violation);
      boolean isAbsent = violation.getGrade() == ViolationGrade.DEFINITE;
      if (trigger == null
          || !asks(trigger)
          || answered(trigger, ended).compareTo(isAbsent ? InTime.NO : InTime.MAYBE) > 0) {
        throw new BrokenInvariant(
            Invariant.SOUND,
            "%s is of %s, and these are answers: %s"
                .formatted(
                    BrokenInvariant.text(violation),
                    trigger,
                    ended.stream()
                        .filter(each -> trigger != null && trigger.pairsWith(each))
                        .toList()));
      }
    }
  }

  @Override
  public void requireCovering(
      Collection<Interval> ended, Predicate<Interval> mustBeKnown, Predicate<Interval> isKnown) {
    List<Interval> missing =
        ended.stream()
            .filter(this::asks)
            .filter(mustBeKnown)
            .filter(trigger -> answered(trigger, ended) != InTime.YES)
            .filter(trigger -> !isKnown.test(trigger))
            .toList();
    if (!missing.isEmpty()) {
      throw new BrokenInvariant(Invariant.COVERING, "neither reported nor in a gap: " + missing);
    }
  }
}
