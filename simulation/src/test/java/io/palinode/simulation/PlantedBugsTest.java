package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.simulation.world.Fault;
import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulator that finds nothing is suspect: each planted bug is found, and soon. */
class PlantedBugsTest {
  private static final int SEEDS_MAX = 1_500;

  @ParameterizedTest
  @EnumSource
  void aPlantedBugIsFound(PlantedBug bug) {
    Simulation simulation = new Simulation(EnumSet.allOf(Fault.class), bug::plant);
    assertFound(simulation, SEEDS_MAX, bug);
  }

  static void assertFound(Simulation simulation, int seedsMax, Enum<?> bug) {
    for (long seed = 0; seed < seedsMax; seed++) {
      if (simulation.run(seed).broken() != null) {
        return;
      }
    }
    assertThat(seedsMax).as("seeds without finding %s", bug).isZero();
  }
}
