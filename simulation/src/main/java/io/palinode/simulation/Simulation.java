package io.palinode.simulation;

import io.palinode.simulation.check.BrokenInvariant;
import io.palinode.simulation.store.StoreKind;
import io.palinode.simulation.world.Fault;
import io.palinode.simulation.world.Form;
import io.palinode.simulation.world.Seams;
import io.palinode.simulation.world.Shape;
import io.palinode.simulation.world.World;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs of whole clusters in virtual time. Each is its seed: the same seed is the same run. */
public final class Simulation {
  private final StoreKind store;
  private final Set<Fault> faults;
  private final Supplier<Seams> seams;
  private final Shape.Variation variation;

  public Simulation(Set<Fault> faults) {
    this(faults, () -> Seams.NONE);
  }

  /** {@code seams} are where tests plant bugs; each run makes new ones. */
  Simulation(Set<Fault> faults, Supplier<Seams> seams) {
    this(StoreKind.VOLDEMORT, faults, seams, Shape.Variation.NONE);
  }

  private Simulation(
      StoreKind store, Set<Fault> faults, Supplier<Seams> seams, Shape.Variation variation) {
    this.store = store;
    this.faults = Set.copyOf(faults);
    this.seams = seams;
    this.variation = variation;
  }

  /** The same runs, with rollbacks that undo only what came of the witnesses. */
  public Simulation affectingOnlySome() {
    return new Simulation(store, faults, seams, new Shape.Variation(true, variation.form()));
  }

  /** The same runs, of the predicate in another form. */
  public Simulation in(Form form) {
    return new Simulation(store, faults, seams, new Shape.Variation(variation.affected(), form));
  }

  /** The same runs, of another store. */
  public Simulation of(StoreKind other) {
    return new Simulation(other, faults, seams, variation);
  }

  /**
   * How a run ended.
   *
   * @param broken null when everything held
   */
  public record Result(
      long seed,
      @Nullable BrokenInvariant broken,
      Rollbacks rollbacks,
      int violations,
      int acknowledgements,
      int staleReads) {}

  /**
   * The rollbacks of a run.
   *
   * @param plans that ended
   * @param affected plans that undid only some of what was written
   */
  public record Rollbacks(int plans, int affected, int halts, int stepsBack) {}

  /** Runs a seed to its end. Some tens of milliseconds. */
  public Result run(long seed) {
    return run(seed, null);
  }

  /** With a line for each event, as it happens. The same run as without. */
  public Result run(long seed, @Nullable Consumer<String> trace) {
    World world = new World(seed, store, faults, seams.get(), variation, trace);
    Cluster cluster = new Cluster(world);
    BrokenInvariant broken = null;
    try {
      cluster.run();
    } catch (BrokenInvariant seen) {
      broken = seen;
      if (trace != null) {
        world.trace().add("world", "BROKEN", () -> String.valueOf(seen.getMessage()));
      }
    }
    return new Result(
        seed,
        broken,
        new Rollbacks(
            world.controlChecks().plans(),
            world.affected().checked(),
            world.controlChecks().halts(),
            world.controlChecks().stepsBack()),
        world.detection().reports(),
        world.clientChecks().acknowledgements(),
        world.clientChecks().oldReads());
  }
}
