package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.simulation.world.Fault;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random runs in which rollbacks undo only what came of the witnesses. */
class AffectedSimulationTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 200) / 4;
  private static final int PLANTED_SEEDS_MAX = 400;

  @Test
  void withoutFaultsTheRightPartIsUndone() {
    assertHolds(EnumSet.noneOf(Fault.class), SEEDS * 2 / 3, 5);
  }

  @Test
  void whateverGoesWrongTheRightPartIsUndone() {
    assertHolds(EnumSet.allOf(Fault.class), SEEDS, 20);
  }

  @ParameterizedTest
  @EnumSource
  void aPlantedBugIsFound(PlantedScopeBug bug) {
    Simulation simulation =
        new Simulation(EnumSet.allOf(Fault.class), bug::plant).affectingOnlySome();
    PlantedBugsTest.assertFound(simulation, 0, PLANTED_SEEDS_MAX, bug);
  }

  /**
   * @param part of all rollbacks at least one in so many undoes only some
   */
  private static void assertHolds(Set<Fault> faults, int seeds, int part) {
    Simulation simulation = new Simulation(faults).affectingOnlySome();
    List<String> failures = new ArrayList<>();
    long plans = 0;
    long affected = 0;
    for (long seed = 0; seed < seeds; seed++) {
      Simulation.Result result = simulation.run(seed);
      plans += result.rollbacks().plans();
      affected += result.rollbacks().affected();
      if (result.broken() != null) {
        failures.add("seed=" + seed + " " + result.broken().getMessage());
      }
    }
    assertThat(failures).as("of %d seeds", seeds).isEmpty();
    assertThat(affected * part)
        .as("%d of %d undid only some", affected, plans)
        .isGreaterThanOrEqualTo(plans);
  }
}
