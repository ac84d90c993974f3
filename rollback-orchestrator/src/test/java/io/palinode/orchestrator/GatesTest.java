package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.orchestrator.plan.PastPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Budget and approval under random violations, answers and restarts. */
class GatesTest extends GatesFixture {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 2_000) / 100;

  @Test
  void restartsAtAnyMomentChangeNoDecision() {
    for (long seed = 0; seed < SEEDS; seed++) {
      assertThat(run(seed, true)).as("seed=%d", seed).isEqualTo(run(seed, false));
    }
  }

  /** Every period has at most as many rollbacks as the budget allows. */
  @Test
  void theBudgetHoldsForEverySeed() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Script script = Script.of(1, LIMITED);
      drive(script, 2 * seed + 1, false);
      List<PastPlan> plans = script.state().log().plans().past();
      for (int i = 2; i < plans.size(); i++) {
        assertThat(plans.get(i).openedMicros() - plans.get(i - 2).openedMicros())
            .as("seed=%d plan=%d", seed, i)
            .isGreaterThanOrEqualTo(PER);
      }
      assertThat(plans).as("seed=%d", seed).isNotEmpty();
    }
  }

  private static List<String> run(long seed, boolean restarts) {
    Script script = seed % 2 == 0 ? Script.of(1, LIMITED, FREE) : Script.of(1, APPROVED, FREE);
    return drive(script, seed, restarts);
  }

  private static List<String> drive(Script script, long seed, boolean restarts) {
    Random random = new Random(seed);
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      script.pass(random.nextLong(PER / 4));
      long now = script.state().nowMicros();
      switch (random.nextInt(6)) {
        case 0 -> script.judged(now);
        case 1 -> script.answer(1 + random.nextInt(8), random.nextBoolean());
        case 2 -> renew(script, seed);
        case 3 -> violation(script, "q", now, script.state().log().epoch());
        default -> violation(script, "p", now, script.state().log().epoch());
      }
      if (restarts) {
        script.restart();
      }
      if (script.state().log().plan() != null) {
        script.judged(now);
        script.carryOut(script.state().log().plan().epoch());
      }
      if (restarts) {
        script.restart();
      }
    }
    steps.addAll(script.steps().stream().filter(s -> !s.contains("safe")).toList());
    return steps;
  }

  private static void renew(Script script, long seed) {
    if (seed % 4 == 0) {
      script.renew("p");
    }
  }
}
