package io.palinode.simulation.node;

import io.palinode.hvc.Hlc;
import io.palinode.simulation.environment.Disk;
import io.palinode.simulation.store.Operation;
import io.palinode.simulation.store.Request;
import io.palinode.simulation.store.SimulatedStore;
import io.palinode.simulation.world.World;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.node.NodeBinding;
import io.palinode.wire.v1.Restore;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes a node's commits, with the purpose of each, to the checks. */
final class NodeCommits implements Disk.Observer, RecordedStore.Listener {
  private final World world;
  private final int id;
  private final NodeBinding store;
  private final Supplier<RecordedStore.@Nullable Intent> purpose;
  private final Runnable beforeWrite;
  private final Runnable io;

  /** The client's request that the node carries out now; null: none. */
  private @Nullable Request request;

  /**
   * @param purpose the purpose of the next commit, as control duties stated it
   * @param beforeWrite checks a node that accepts a write
   * @param io called at each access to the disk
   */
  NodeCommits(
      World world,
      int id,
      NodeBinding store,
      Supplier<RecordedStore.@Nullable Intent> purpose,
      Runnable beforeWrite,
      Runnable io) {
    this.world = world;
    this.id = id;
    this.store = store;
    this.purpose = purpose;
    this.beforeWrite = beforeWrite;
    this.io = io;
  }

  void begin(Request asked) {
    request = asked;
  }

  void end() {
    request = null;
  }

  @Override
  public void committing() {
    io.run();
  }

  @Override
  public void committed(List<Change> changes) {
    long hlc = store.clock().last().own();
    RecordedStore.Intent intent = purpose.get();
    if (intent instanceof RecordedStore.Intent.Restore restore) {
      world
          .model()
          .restored(
              id,
              restore.epoch(),
              restore.attempt(),
              restore.target(),
              restore.reach(),
              hlc,
              restore.keep(),
              key -> cut(restore, key));
    } else if (intent instanceof RecordedStore.Intent.Merge merge) {
      world.model().merged(id, merge.epoch(), merge.attempt(), hlc, merge.keys());
    } else if (request != null && changeTheStore(changes)) {
      written(request, hlc);
    }
    io.run();
  }

  /** Up to when what was written of a key stands. */
  private long cut(RecordedStore.Intent.Restore restore, String key) {
    if (restore.keep()) {
      return Long.MAX_VALUE;
    }
    return restore.keys() == null
        ? restore.target()
        : restore.keys().getOrDefault(world.accessKey(key), Long.MAX_VALUE);
  }

  @Override
  public void comparesAll(long epoch, Restore asked) {
    long now = store.clock().last().own();
    world.model().comparesAll(id, epoch, asked.getAttempt(), asked.getTarget(), store.reach(), now);
  }

  @Override
  public void undid(int attempt, Map<Long, Long> keys) {
    world.affected().undoes(id, attempt, keys);
  }

  /** Else they are the node's own records, such as what it promises of its clock. */
  private static boolean changeTheStore(List<Change> changes) {
    return changes.stream().anyMatch(change -> change.store().equals(SimulatedStore.NAME));
  }

  @Override
  public void refused(List<Change> changes) {
    if (request != null && changeTheStore(changes)) {
      world.model().tried(id, request.key(), store.clock().last().own());
    } else if (purpose.get() instanceof RecordedStore.Intent.Restore restore && !restore.keep()) {
      world.model().triedToRestore(id, restore.target(), store.clock().last().own());
    }
  }

  private void written(Request write, long hlc) {
    long epoch = write.by().getEpoch();
    world.requireFence(id, epoch, Hlc.format(hlc));
    beforeWrite.run();
    if (write.operation() instanceof Operation.Delete delete) {
      world.model().removed(id, epoch, delete.key(), delete.upTo(), hlc);
    } else if (write.operation() instanceof Operation.Put put) {
      String client = write.by().getClient();
      world.model().put(id, put.key(), put.version(), hlc);
      world.affected().accepted(id, hlc, client, put.key(), put.version(), write.isCopyAt(id));
    }
  }

  @Override
  public void merged(RecordedStore.Intent.Merge merge) {
    long now = store.clock().last().own();
    world.model().merged(id, merge.epoch(), merge.attempt(), now, merge.keys());
    world.requireCut(merge.epoch(), merge.attempt());
  }

  @Override
  public void serves(long epoch) {
    world.served(epoch);
    world.trace().add("node" + id, "serves", () -> "epoch=" + epoch);
  }
}
