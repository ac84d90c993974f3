package io.palinode.simulation;

import io.palinode.simulation.store.StoreKind;
import io.palinode.simulation.world.Fault;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that has no vector clocks keeps the same promises on the same node parts. */
class LastWriteWinsSimulationTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 200) / 4;
  private static final int PLANTED_SEEDS_MAX = 400;

  @Test
  void aClusterWithoutFaultsKeepsAllItsPromises() {
    assertHolds(new Simulation(EnumSet.noneOf(Fault.class)), SEEDS / 3);
  }

  @Test
  void aClusterInWhichEverythingGoesWrongKeepsAllItsPromises() {
    assertHolds(new Simulation(EnumSet.allOf(Fault.class)), SEEDS);
  }

  @Test
  void aRollbackOfTheAffectedKeysUndoesTheRightPart() {
    assertHolds(new Simulation(EnumSet.allOf(Fault.class)).affectingOnlySome(), SEEDS / 3);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "CHECKS_THE_FENCE_BEFORE_THE_LOCK",
        "DOES_NOT_CONVERGE",
        "ONE_NODE_DOES_NOT_RESTORE",
        "RESTORES_ONE_TOO_FAR",
        "TAKES_REPLICAS_FOR_ALIKE"
      })
  void aPlantedBugIsFound(PlantedBug bug) {
    Simulation simulation =
        new Simulation(EnumSet.allOf(Fault.class), bug::plant).of(StoreKind.LAST_WRITE_WINS);
    PlantedBugsTest.assertFound(simulation, 0, PLANTED_SEEDS_MAX, bug);
  }

  private static void assertHolds(Simulation voldemort, int seeds) {
    SimulationTest.assertHolds(voldemort.of(StoreKind.LAST_WRITE_WINS), seeds);
  }
}
