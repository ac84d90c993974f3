package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulator that finds nothing is suspect: each planted bug is found, and soon. */
class PlantedBugsTest {
  private static final int SEEDS_MAX = 500;

  @ParameterizedTest
  @EnumSource
  void aPlantedBugIsFound(PlantedBug bug) {
    Simulation simulation = new Simulation(SimulationTest.ALL_BUT_AWAY, bug::plant);
    assertFound(simulation, bug.firstSeed(), SEEDS_MAX, bug);
  }

  static void assertFound(Simulation simulation, long first, int seedsMax, Enum<?> bug) {
    for (long seed = first; seed < first + seedsMax; seed++) {
      if (simulation.run(seed).broken() != null) {
        return;
      }
    }
    assertThat(seedsMax).as("seeds without finding %s", bug).isZero();
  }
}
