package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.simulation.Simulation.Result;
import io.palinode.simulation.world.Fault;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

/** Clients that look for stale reads, in random runs with all faults. */
class StaleReadsSimulationTest {
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 200) / 3;

  @Test
  void eachStaleReadIsOlderThanWhatItsSessionHadWritten() {
    Simulation simulation = new Simulation(EnumSet.allOf(Fault.class));
    int staleReads = 0;
    int plans = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Result result = simulation.run(seed);
      assertThat(result.broken()).as("seed=" + seed).isNull();
      staleReads += result.staleReads();
      plans += result.rollbacks().plans();
    }
    assertThat(staleReads).as("stale reads").isPositive();
    assertThat(plans).as("plans carried out").isGreaterThan(SEEDS / 4);
  }
}
