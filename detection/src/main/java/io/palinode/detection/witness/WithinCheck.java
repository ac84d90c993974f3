package io.palinode.detection.witness;

import io.palinode.detection.witness.PortableWitness.Finding;
import io.palinode.detection.witness.PortableWitness.HeldInterval;
import io.palinode.detection.witness.WitnessCheck.Rule;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.Uncertainty;
import io.palinode.predicate.ClauseRule;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Whether the times of a witness of {@code within} agree. That no other answer came in time is
 * taken on trust: a witness cannot contain what was not there.
 */
final class WithinCheck {
  private final PortableWitness witness;
  private final ClauseRule.Within rule;
  private final BiConsumer<Rule, String> fail;

  private WithinCheck(
      PortableWitness witness, ClauseRule.Within rule, BiConsumer<Rule, String> fail) {
    this.witness = witness;
    this.rule = rule;
    this.fail = fail;
  }

  /** Returns whether the intervals are of the trigger, and of an answer if there is another. */
  static boolean check(
      PortableWitness witness, ClauseRule.Within rule, BiConsumer<Rule, String> fail) {
    List<Integer> terms = witness.intervals().stream().map(HeldInterval::term).toList();
    if (!terms.equals(List.of(0)) && !terms.equals(List.of(0, 1))) {
      fail.accept(Rule.TERMS, "it must have the trigger, and at most one answer: terms=" + terms);
      return false;
    }
    if (witness.rules().epsilon().isInfinite()) {
      fail.accept(Rule.PREDICATE, "epsilon must not be inf with within");
      return false;
    }
    WithinCheck check = new WithinCheck(witness, rule, fail);
    check.times();
    check.grade();
    return true;
  }

  private long epsilon() {
    Epsilon epsilon = witness.rules().epsilon();
    return Hlc.ofMicros(epsilon.micros());
  }

  private Hvc trigger() {
    return witness.intervals().get(0).start();
  }

  private void times() {
    Finding finding = witness.finding();
    long start = trigger().own();
    if (finding.first() != start) {
      fail.accept(
          Rule.FIRST,
          "the trigger began at %s, not %s"
              .formatted(Hlc.format(start), Hlc.format(finding.first())));
    }
    long over = start + Hlc.ofMicros(rule.micros()) + epsilon();
    if (finding.violate() != over) {
      fail.accept(
          Rule.VIOLATE,
          "its time and epsilon are over at %s, not %s"
              .formatted(Hlc.format(over), Hlc.format(finding.violate())));
    }
  }

  private void grade() {
    boolean hasAnswer = witness.intervals().size() == 2;
    Grade expected = hasAnswer ? Grade.POSSIBLE : Grade.DEFINITE;
    if (witness.finding().grade() != expected) {
      fail.accept(
          Rule.GRADE,
          hasAnswer
              ? "with an answer that may be in time it must be possible"
              : "without an answer it must be definite");
    }
    if (hasAnswer && witness.intervals().get(1).start().nodes() == trigger().nodes()) {
      answer(witness.intervals().get(1));
    }
  }

  /** Neither surely in time nor surely not: then nothing is known of it. */
  private void answer(HeldInterval answer) {
    Hvc end = answer.end();
    long over = trigger().own() + Hlc.ofMicros(rule.micros());
    long start = answer.start().own();
    boolean isKnownBefore = trigger().get(answer.start().owner()) >= start;
    boolean surelyBegins = isKnownBefore || start <= over - epsilon();
    boolean surelyEnds = end == null || endsSurelyAfter(end);
    boolean tooLate = !isKnownBefore && start > over + epsilon();
    if (tooLate || (end != null && endsSurelyBefore(end))) {
      fail.accept(Rule.GRADE, "the answer is not in time by any clock, so it must not be named");
    } else if (surelyBegins && surelyEnds) {
      fail.accept(Rule.GRADE, "the answer is in time by every clock, so nothing is violated");
    }
  }

  private boolean endsSurelyAfter(Hvc end) {
    boolean isOneClock = end.owner() == trigger().owner();
    return isOneClock
        ? end.own() >= trigger().own()
        : end.own() >= trigger().own() + epsilon() || end.get(trigger().owner()) >= trigger().own();
  }

  private boolean endsSurelyBefore(Hvc end) {
    if (endsSurelyAfter(end)) {
      return false;
    }
    boolean isOrdered =
        witness.rules().uncertainty() == Uncertainty.CAUSAL
            && trigger().get(end.owner()) >= end.own();
    return isOrdered || end.owner() == trigger().owner() || end.own() < trigger().own() - epsilon();
  }
}
