package io.palinode.detection.within;

import io.palinode.detection.DetectionSpec;
import io.palinode.hvc.Causality;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.predicate.ClauseRule;

/** Whether an answer comes in time, by clocks that differ by at most ε. Pure. */
public final class Deadline {
  /** Whether something is the case, by every reading of the clocks. */
  public enum Certainty {
    NO,
    MAYBE,
    YES;

    private Certainty and(Certainty other) {
      return compareTo(other) < 0 ? this : other;
    }
  }

  private final Causality causality;
  private final long time;
  private final long epsilon;

  /** Throws {@link IllegalArgumentException} for a clause without {@code within}. */
  public Deadline(DetectionSpec spec) {
    ClauseRule.Within rule = spec.within();
    this.causality = spec.causality();
    this.time = Hlc.ofMicros(rule.micros());
    this.epsilon = Hlc.ofMicros(causality.epsilon().micros());
  }

  /** ε as a difference of HLCs. */
  public long epsilon() {
    return epsilon;
  }

  /** An answer that begins later than this HLC, on whatever node, is late. */
  public long of(Hvc trigger) {
    return later(trigger.own(), time + epsilon);
  }

  /** Whether {@code answer} is true at some time from {@code trigger} until its time is over. */
  public Certainty isInTime(Hvc trigger, Interval answer) {
    Hvc end = answer.end();
    Certainty begins = beginsInTime(trigger, answer.start());
    return end == null ? begins : begins.and(endsAfter(trigger, end));
  }

  /** On one node too: an HLC may be up to ε ahead of its physical clock. */
  private Certainty beginsInTime(Hvc trigger, Hvc start) {
    long left = later(trigger.own(), time) - start.own();
    if (left >= epsilon || trigger.get(start.owner()) >= start.own()) {
      return Certainty.YES;
    }
    return left < -epsilon ? Certainty.NO : Certainty.MAYBE;
  }

  private Certainty endsAfter(Hvc trigger, Hvc end) {
    if (end.owner() == trigger.owner()) {
      return trigger.own() <= end.own() ? Certainty.YES : Certainty.NO;
    }
    long lasts = end.own() - trigger.own();
    if (lasts >= epsilon || end.get(trigger.owner()) >= trigger.own()) {
      return Certainty.YES;
    }
    boolean isOrdered = causality.ignoresClocks() && trigger.get(end.owner()) >= end.own();
    return lasts < -epsilon || isOrdered ? Certainty.NO : Certainty.MAYBE;
  }

  static long later(long hlc, long by) {
    return hlc > Long.MAX_VALUE - by ? Long.MAX_VALUE : hlc + by;
  }
}
