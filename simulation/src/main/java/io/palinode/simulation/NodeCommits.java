package io.palinode.simulation;

import io.palinode.hvc.Hlc;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.wire.v1.Restore;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes a node's commits, with the purpose of each, to the checks. */
final class NodeCommits implements Disk.Observer, RecordedStore.Listener {
  private final World world;
  private final int id;
  private final StoreNode store;
  private final Supplier<RecordedStore.@Nullable Intent> purpose;
  private final Runnable beforeWrite;
  private final Runnable io;

  /** The client's request that the node carries out now; null: none. */
  private @Nullable VoldemortRequest request;

  /**
   * @param purpose the purpose of the next commit, as control duties stated it
   * @param beforeWrite checks a node that accepts a write
   * @param io called at each access to the disk
   */
  NodeCommits(
      World world,
      int id,
      StoreNode store,
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

  void begin(VoldemortRequest asked) {
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
    return changes.stream().anyMatch(change -> change.store().equals(Shape.STORE));
  }

  @Override
  public void refused(List<Change> changes) {
    if (request != null && changeTheStore(changes)) {
      world.model().tried(id, Responses.key(request), store.clock().last().own());
    } else if (purpose.get() instanceof RecordedStore.Intent.Restore restore && !restore.keep()) {
      world.model().triedToRestore(id, restore.target(), store.clock().last().own());
    }
  }

  private void written(VoldemortRequest write, long hlc) {
    Pb0.RequestContext by = write.getPalinode();
    String key = Responses.key(write);
    world.requireFence(id, by.getEpoch(), Hlc.format(hlc));
    beforeWrite.run();
    if (write.hasDelete()) {
      VectorClock upTo = VectorClock.fromProto(write.getDelete().getVersion());
      world.model().removed(id, by.getEpoch(), key, upTo, hlc);
      return;
    }
    Versioned version = Versioned.fromProto(write.getPut().getVersioned());
    world.model().put(id, key, version, hlc);
    world.affected().accepted(id, hlc, by.getClient(), key, version, isCopy(by));
  }

  /** Whether the request is a copy of another node's write. */
  boolean isCopy(Pb0.RequestContext by) {
    return by.hasReadAt() || (by.hasOrigin() && by.getOrigin() != id);
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
