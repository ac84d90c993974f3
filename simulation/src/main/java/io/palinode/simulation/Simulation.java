package io.palinode.simulation;

import io.palinode.simulation.check.BrokenInvariant;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs of whole clusters in virtual time. Each is its seed: the same seed is the same run. */
public final class Simulation {
  private final Set<Fault> faults;
  private final Supplier<Seams> seams;
  private final boolean affected;

  public Simulation(Set<Fault> faults) {
    this(faults, () -> Seams.NONE, false);
  }

  /** {@code seams} are where tests plant bugs; each run makes new ones. */
  Simulation(Set<Fault> faults, Supplier<Seams> seams) {
    this(faults, seams, false);
  }

  private Simulation(Set<Fault> faults, Supplier<Seams> seams, boolean affected) {
    this.faults = Set.copyOf(faults);
    this.seams = seams;
    this.affected = affected;
  }

  /** The same runs, with rollbacks that undo only what came of the witnesses. */
  public Simulation affectingOnlySome() {
    return new Simulation(faults, seams, true);
  }

  /**
   * How a run ended.
   *
   * @param broken null when everything held
   * @param affected plans that undid only some of what was written
   */
  public record Result(
      long seed,
      @Nullable BrokenInvariant broken,
      int plans,
      int affected,
      int halts,
      int stepsBack,
      int violations,
      int acknowledgements,
      long events) {}

  /** Runs a seed to its end. Some tens of milliseconds. */
  public Result run(long seed) {
    return run(seed, null);
  }

  /** With a line for each event, as it happens. The same run as without. */
  public Result run(long seed, @Nullable Consumer<String> trace) {
    World world = new World(seed, faults, seams.get(), affected, trace);
    BrokenInvariant broken = null;
    try {
      world.run();
    } catch (BrokenInvariant seen) {
      broken = seen;
      if (trace != null) {
        world.trace().add("world", "BROKEN", () -> String.valueOf(seen.getMessage()));
      }
    }
    return new Result(
        seed,
        broken,
        world.controlChecks().plans(),
        world.affected().checked(),
        world.controlChecks().halts(),
        world.controlChecks().stepsBack(),
        world.detection().reports(),
        world.clientChecks().acknowledgements(),
        world.time().events());
  }
}
