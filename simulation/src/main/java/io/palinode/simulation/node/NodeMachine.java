package io.palinode.simulation.node;

import io.palinode.simulation.environment.Disk;
import io.palinode.simulation.environment.NodeClock;
import io.palinode.simulation.world.World;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeParts;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The machine of a node: its disk and its clock stay, its process comes and goes. */
public final class NodeMachine {
  private static final long START_RETRY_MICROS = 100_000;

  private final World world;
  private final int id;
  private final Consumer<NodeProcess> disconnect;
  private final Disk disk;
  private final NodeClock clock;
  private @Nullable NodeProcess process;
  private boolean starting;
  private boolean held;

  /**
   * @param disconnect is given each process at its end: its connections are gone
   */
  public NodeMachine(World world, int id, Consumer<NodeProcess> disconnect) {
    this.world = world;
    this.id = id;
    this.disconnect = disconnect;
    this.disk = world.disk(id);
    this.clock = new NodeClock(world.time());
  }

  public int id() {
    return id;
  }

  Disk disk() {
    return disk;
  }

  public NodeClock clock() {
    return clock;
  }

  /** Null while it is down. */
  public @Nullable NodeProcess process() {
    return process;
  }

  /** An operator stops it, until {@link #release}. */
  public void hold() {
    held = true;
    kill();
  }

  public void release() {
    if (held) {
      held = false;
      startIn(0);
    }
  }

  public void startIn(long micros) {
    if (!starting) {
      starting = true;
      world.time().in(micros, this::start);
    }
  }

  private void start() {
    starting = false;
    if (process != null) {
      return;
    }
    if (held) {
      startIn(START_RETRY_MICROS);
      return;
    }
    disk.observe(Disk.Observer.NONE);
    long early = NodeParts.opensFromMicros(disk) - clock.getAsLong();
    if (early > 0) {
      startIn(early);
      return;
    }
    try {
      process = new NodeProcess(world, this);
      process.start();
    } catch (StorageException e) {
      world.trace().add("node" + id, "cannot-start", () -> String.valueOf(e.getMessage()));
      process = null;
      startIn(START_RETRY_MICROS);
    }
  }

  /** The process may die in this. */
  void dyingInIt(Runnable action) {
    try {
      action.run();
    } catch (Killed here) {
      kill();
    }
  }

  /** The process is gone at once. */
  public void kill() {
    NodeProcess killed = process;
    if (killed != null) {
      world.trace().add("node" + id, "killed", () -> "incarnation=" + killed.incarnation());
      process = null;
      killed.die();
    }
  }

  /** The process ended in order. */
  void ended(NodeProcess which) {
    if (process == which) {
      process = null;
      startIn(world.dice().between(1_000, 100_000));
    }
  }

  /** The connections to it are gone. */
  void disconnect(NodeProcess which) {
    disconnect.accept(which);
  }
}
