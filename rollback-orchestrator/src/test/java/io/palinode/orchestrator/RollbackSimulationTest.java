package io.palinode.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol under random interleavings, repeats, losses and crashes: one seed, one run. */
class RollbackSimulationTest {
  private static final int SEEDS = 3_000;

  @Test
  void everyRunEndsInTheOldEpochOrOnARestoredCut() {
    int plans = 0;
    int halted = 0;
    int stepsBack = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      World world = run(seed);
      plans += world.plans();
      halted += world.isHalted() ? 1 : 0;
      stepsBack += world.stepsBack();
    }
    // A simulation in which nothing happens proves nothing.
    assertThat(plans).as("plans carried out").isGreaterThan(SEEDS);
    assertThat(stepsBack).as("steps back").isGreaterThan(SEEDS / 50);
    assertThat(halted).as("halted runs").isBetween(SEEDS / 100, SEEDS / 3);
  }

  /** Seeds that once failed, each with what it found. */
  @ParameterizedTest
  @ValueSource(longs = {0})
  void seedsThatOnceFailed(long seed) {
    run(seed);
  }

  private static World run(long seed) {
    World world = new World(seed);
    try {
      world.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "seed=" + seed + " " + world.faults() + "\n" + String.join("\n", world.trace()), e);
    }
    return world;
  }
}
