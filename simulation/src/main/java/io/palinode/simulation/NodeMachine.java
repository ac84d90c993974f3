package io.palinode.simulation;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.NodeMeta;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The machine of a node: its disk and its clock stay, its process comes and goes. */
final class NodeMachine {
  private static final long START_RETRY_MICROS = 100_000;

  private final World world;
  private final int id;
  private final Disk disk = new Disk(List.of(SimulatedStore.NAME, NodeMeta.STORE));
  private final NodeClock clock;
  private @Nullable NodeProcess process;
  private boolean starting;
  private boolean held;

  NodeMachine(World world, int id) {
    this.world = world;
    this.id = id;
    this.clock = new NodeClock(world.time());
  }

  int id() {
    return id;
  }

  Disk disk() {
    return disk;
  }

  NodeClock clock() {
    return clock;
  }

  /** Null while it is down. */
  @Nullable NodeProcess process() {
    return process;
  }

  /** An operator stops it, until {@link #release}. */
  void hold() {
    held = true;
    kill();
  }

  void release() {
    if (held) {
      held = false;
      startIn(0);
    }
  }

  void startIn(long micros) {
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
  void kill() {
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

  /** What is on disk, also while no process runs. */
  List<Version> stored(String key) {
    byte[] record = disk.get(SimulatedStore.NAME, key.getBytes(StandardCharsets.UTF_8));
    return record == null ? List.of() : world.store().rules().versions(record);
  }
}
