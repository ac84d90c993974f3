package io.palinode.detection;

import io.palinode.hvc.Causality;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Interval;
import io.palinode.hvc.PointInTime;
import io.palinode.predicate.ClauseRule;
import io.palinode.predicate.Period;
import java.math.BigDecimal;
import java.util.List;

/** Why a violation of {@code within} has its grade, in one sentence with its times. Pure. */
public final class AbsenceReason {
  private AbsenceReason() {}

  /**
   * {@code definite: term 0 on node 1 began at …, and term 1 held on no node within 5s after that,
   * by clocks that differ by at most 10ms}.
   *
   * @param intervals the trigger; and the answer that may have been in time, if there is one
   */
  public static String of(Causality causality, ClauseRule.Within rule, List<Interval> intervals) {
    Interval trigger = intervals.get(0);
    String time = Period.format(rule.time());
    String began =
        "term 0 on node %d began at %s"
            .formatted(trigger.node(), PointInTime.format(trigger.start().own()));
    if (intervals.size() == 1) {
      return "definite: %s, and term 1 held on no node within %s after that, by clocks that differ by at most %s"
          .formatted(began, time, causality.epsilon());
    }
    return "possible: %s, and term 1 on node %d %s; clocks differ by at most %s, so it may have held within %s after that"
        .formatted(
            began,
            intervals.get(1).node(),
            near(rule, trigger.start(), intervals.get(1)),
            causality.epsilon(),
            time);
  }

  private static String near(ClauseRule.Within rule, Hvc trigger, Interval answer) {
    long over = Hlc.micros(trigger.own()) + rule.micros();
    long late = Hlc.micros(answer.start().own()) - over;
    Hvc end = answer.end();
    if (end == null || Hlc.micros(end.own()) - Hlc.micros(trigger.own()) > Math.abs(late)) {
      return "began " + distance(late) + " the end of that time";
    }
    return "ended " + distance(Hlc.micros(end.own()) - Hlc.micros(trigger.own())) + " that";
  }

  private static String distance(long micros) {
    BigDecimal millis = BigDecimal.valueOf(Math.abs(micros), 3).stripTrailingZeros();
    return millis.toPlainString() + (micros < 0 ? " ms before" : " ms after");
  }
}
