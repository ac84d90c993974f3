package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.Seams;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Records that a program with the rights of a node appends to the control log. */
class ForgedRecordsTest {
  private static final Set<Fault> WITH = EnumSet.of(Fault.CRASH, Fault.TAKEOVER, Fault.FORGE);
  private static final Set<Fault> WITHOUT = EnumSet.of(Fault.CRASH, Fault.TAKEOVER);
  private static final int SEEDS = 30;

  @Test
  void refusedRecordsChangeNoRun() {
    int forged = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      List<String> with = trace(WITH, seed);
      List<String> genuine = with.stream().filter(line -> !isForged(line)).toList();
      forged += with.size() - genuine.size();
      assertThat(genuine).as("seed %d", seed).isEqualTo(trace(WITHOUT, seed));
    }
    assertThat(forged).isGreaterThan(SEEDS);
  }

  @Test
  void readersWithoutTheCheckAreFound() {
    Supplier<Seams> unchecked =
        () ->
            new Seams() {
              @Override
              public boolean checksRecords() {
                return false;
              }
            };
    PlantedBugsTest.assertFound(new Simulation(WITH, unchecked), 1, SEEDS, Fault.FORGE);
  }

  private static List<String> trace(Set<Fault> faults, long seed) {
    List<String> lines = new ArrayList<>();
    assertThat(new Simulation(faults).run(seed, lines::add).broken()).as("seed %d", seed).isNull();
    assertThat(lines.removeIf(line -> line.contains(" begins "))).as("names the faults").isTrue();
    return lines;
  }

  private static boolean isForged(String line) {
    return line.contains(" stranger ");
  }
}
