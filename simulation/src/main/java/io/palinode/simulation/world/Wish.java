package io.palinode.simulation.world;

import io.palinode.simulation.check.GateChecks;
import io.palinode.simulation.environment.Dice;
import java.time.Duration;

/** What a predicate wants of its rollbacks beside a target. */
enum Wish {
  NOTHING(""),
  /** At most {@link #BUDGET_PLANS} in {@link #BUDGET_PERIOD}. */
  BUDGET("budget: {atMost: 2, per: 600ms}"),
  APPROVAL("approval: required"),
  SEQUENTIAL("whenFrequent: {over: 1, per: 600ms, then: sequential}"),
  RESTART("onUnreachable: restart");

  static final int BUDGET_PLANS = 2;
  static final Duration BUDGET_PERIOD = Duration.ofMillis(600);

  /** A line of YAML. */
  final String yaml;

  Wish(String yaml) {
    this.yaml = yaml;
  }

  /** Every other run has one. */
  static Wish draw(Dice dice) {
    Wish[] all = values();
    return dice.percent(50) ? NOTHING : all[1 + dice.below(all.length - 1)];
  }

  /** The checks of a predicate with this wish. */
  GateChecks checks() {
    return new GateChecks(
        this == APPROVAL,
        this == BUDGET ? BUDGET_PLANS : Integer.MAX_VALUE,
        BUDGET_PERIOD.toNanos() / 1_000);
  }
}
