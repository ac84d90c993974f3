package io.palinode.simulation.orchestrator;

import io.palinode.predicate.Predicate;
import io.palinode.simulation.environment.Dice;
import io.palinode.simulation.world.PredicateVersion;
import io.palinode.simulation.world.Shape;
import io.palinode.simulation.world.WatchedMutex;
import io.palinode.simulation.world.World;

/** Somebody who applies, changes and deletes the predicate while the cluster runs. */
public final class PredicateChanges {
  private static final long FROM_MICROS = 80_000;
  private static final long TO_MICROS = 1_600_000;

  private final World world;
  private final Operator operator;

  /** Changes nothing of a run in which there are no changes. */
  private final Dice dice;

  public PredicateChanges(World world, Operator operator) {
    this.world = world;
    this.operator = operator;
    this.dice = world.diceFor(37);
  }

  /** The first version, if it is there from the beginning; else it comes as a change. */
  public void begin() {
    Shape shape = world.shape();
    if (shape.changes() == 0 || dice.percent(50)) {
      world.apply(first());
    }
    for (int left = shape.changes(); left > 0; left--) {
      world.time().in(dice.between(FROM_MICROS, TO_MICROS), this::change);
    }
  }

  private PredicateVersion first() {
    return PredicateVersion.first(world.shape().watched().predicate().predicate());
  }

  private void change() {
    if (operator.hasDeletedThePredicate()) {
      return;
    }
    PredicateVersion known = world.predicate();
    boolean deletes = known != null && known.predicate() != null && dice.percent(40);
    WatchedMutex next = world.shape().watched().goingTo(dice.percent(50));
    Predicate predicate = deletes ? null : next.predicate().predicate();
    long now = world.wallMicros();
    world.apply(PredicateVersion.after(known, predicate, now));
  }
}
