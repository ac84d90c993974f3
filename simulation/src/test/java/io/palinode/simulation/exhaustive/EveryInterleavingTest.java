package io.palinode.simulation.exhaustive;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.simulation.exhaustive.EveryInterleaving.Explored;
import io.palinode.store.control.Command;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Every order in which a small cluster can act in a rollback. */
class EveryInterleavingTest {
  private static final long STATES_MAX = 50_000;
  private static final long ALL_MAX = 2_000_000;

  /** The ordinary run explores a part: all states take minutes. */
  private static final long EXPLORED_MAX = Long.getLong("palinode.states", 150_000);

  @Test
  void aRollbackKeepsItsPromisesInWhateverOrderThePartsAct() {
    Explored explored = new EveryInterleaving().explore(EXPLORED_MAX, states -> {});
    assertThat(explored.broken()).as("%s", explored.path()).isNull();
    assertThat(explored.all()).isEqualTo(EXPLORED_MAX >= ALL_MAX);
    assertThat(explored.states()).isGreaterThan(100_000);
    assertThat(explored.ends()).isPositive();
  }

  @Test
  void aNodeThatRestoresOneTooFarIsFound() {
    assertThat(
            broken(
                command ->
                    command instanceof Command.Restore restore
                        ? new Command.Restore(
                            restore.epoch(),
                            restore.attempt(),
                            restore.target() + 1,
                            restore.past())
                        : command))
        .contains("a write after the target stands");
  }

  @Test
  void aNodeThatMergesNothingIsFound() {
    assertThat(
            broken(
                command ->
                    command instanceof Command.Converge converge
                        ? new Command.Converge(converge.epoch(), converge.asked(), List.of(), null)
                        : command))
        .contains("replicas differ");
  }

  private static String broken(UnaryOperator<Command> wiring) {
    return String.valueOf(
        new EveryInterleaving().explore(new SmallWorld(wiring), STATES_MAX, states -> {}).broken());
  }
}
