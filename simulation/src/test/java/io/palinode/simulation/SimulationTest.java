package io.palinode.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.simulation.Simulation.Result;
import io.palinode.simulation.world.Fault;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random runs of whole clusters: whatever goes wrong, what must hold holds. */
class SimulationTest {
  /** What takes half a minute. The nightly profile runs 100,000. */
  private static final int SEEDS = Integer.getInteger("palinode.seeds", 200);

  /** The faults that there were when the seeds below failed: with others, a seed is another run. */
  static final Set<Fault> ALL_BUT_AWAY = EnumSet.complementOf(EnumSet.of(Fault.AWAY));

  @Test
  void aClusterWithoutFaultsKeepsAllItsPromises() {
    assertHolds(new Simulation(EnumSet.noneOf(Fault.class)), SEEDS / 4);
  }

  @Test
  void aClusterWhoseWitnessesStayAwayKeepsAllItsPromises() {
    assertHolds(new Simulation(EnumSet.of(Fault.AWAY, Fault.SKEW)), SEEDS / 4);
  }

  @Test
  void aClusterInWhichEverythingGoesWrongKeepsAllItsPromises() {
    assertHolds(new Simulation(EnumSet.allOf(Fault.class)), SEEDS);
  }

  @Test
  void theSameSeedIsTheSameRunTraceAndAll() {
    for (long seed = 0; seed < 5; seed++) {
      assertThat(trace(seed)).isEqualTo(trace(seed)).hasSizeGreaterThan(1_000);
    }
  }

  /**
   * Seeds that failed once and are still the same run.
   *
   * <ul>
   *   <li>609, 92964: a coverage gap before a closing that was published late had the closing's
   *       HLC, or was not published.
   *   <li>3085, 4750, 7080: an abandoned plan did not reach a node, and a copy stayed missing.
   *   <li>3382: the check did not know a safe point whose append had failed.
   *   <li>3667, 5861, 7124: a violation that joined a rejected request of a deleted predicate was
   *       rolled back.
   *   <li>8080: the check did not merge a key that nodes had exchanged without need.
   *   <li>20894: the check required a copy that a full disk had refused and no node knew.
   *   <li>20243: the checks compared the order of versions, and kept a deleted one.
   *   <li>23007, 39440: an orchestrator that resumed asked again for a rejected request.
   *   <li>55899: a restarted job waited half a minute for records that it had read before.
   *   <li>36114: a rollback restored a write with the clock and value of the write that it undid.
   * </ul>
   */
  @ParameterizedTest
  @ValueSource(
      longs = {
        609, 3_085, 3_382, 3_667, 4_376, 4_750, 5_861, 7_080, 7_124, 8_080, 20_243, 20_894, 23_007,
        36_114, 39_440, 55_899, 92_964
      })
  void whatOnceFailedHolds(long seed) {
    assertThat(new Simulation(ALL_BUT_AWAY).run(seed).broken()).isNull();
  }

  /** An abandoned plan stated that all data stands, although its first attempt had undone some. */
  @ParameterizedTest
  @ValueSource(longs = {3_745, 4_469})
  void whatOnceFailedWithAllFaultsHolds(long seed) {
    assertThat(new Simulation(EnumSet.allOf(Fault.class)).run(seed).broken()).isNull();
  }

  private static List<String> trace(long seed) {
    List<String> lines = new ArrayList<>();
    new Simulation(EnumSet.allOf(Fault.class)).run(seed, lines::add);
    return lines;
  }

  static void assertHolds(Simulation simulation, int seeds) {
    List<String> failures = new ArrayList<>();
    long plans = 0;
    for (long seed = 0; seed < seeds; seed++) {
      Result result = simulation.run(seed);
      plans += result.rollbacks().plans();
      if (result.broken() != null) {
        failures.add("seed=" + seed + " " + result.broken().getMessage());
      }
    }
    assertThat(failures).as("of %d seeds", seeds).isEmpty();
    // A simulation in which nothing happens proves nothing.
    assertThat(plans).as("plans carried out").isGreaterThan(seeds);
  }
}
