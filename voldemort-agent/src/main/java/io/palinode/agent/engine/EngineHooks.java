package io.palinode.agent.engine;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Listener;
import io.palinode.agent.boot.Operation;
import io.palinode.agent.boot.Refusal;
import io.palinode.agent.boot.Writing;
import io.palinode.agent.stock.OwnCalls;
import io.palinode.agent.stock.StockEngine;
import io.palinode.agent.stock.StockTypes;
import io.palinode.agent.stock.WatchedEngines;
import io.palinode.detector.binding.StoreKey;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.order.FenceState;
import io.palinode.voldemort.HostedWrites;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.VectorClock;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns calls of the engines' methods into reads that the node admits, and writes that it stamps.
 * Called by all threads of the server.
 *
 * <p>A write of the disk engine enters the node before it takes the record's lock. It passes its
 * change on under that lock, between reading and writing the record, so in the key's order. It
 * leaves when its transaction has ended. Writes of one key run one at a time ({@link KeyStripes}).
 * A write that locks first and writes later stays in the node in between. A write of the memory
 * engine passes its change on at its end, under the engine's monitor.
 */
public final class EngineHooks implements Listener {
  private static final Logger log = LoggerFactory.getLogger(EngineHooks.class);

  private final StoreNode node;
  private final HostedWrites writes;
  private final StockTypes types;
  private final WatchedEngines engines;
  private final OwnCalls own;
  private final PiggyBack piggyBack;
  private final Fuse fuse;
  private final HintPushes pushes = new HintPushes();
  private final KeyStripes stripes = new KeyStripes();
  private final ThreadLocal<Conversation> conversations =
      ThreadLocal.withInitial(Conversation::new);

  // Frames that leave the node are allocated before a write enters: otherwise a lack of memory
  // would keep the thread in the node, and stop every write.
  private final Frame hintEnds;
  private final Frame clearEnds;

  private final Frame readsHint;

  public EngineHooks(StoreNode node, WatchedEngines engines, PiggyBack piggyBack, Fuse fuse) {
    this.node = node;
    this.writes = node.hosted();
    this.engines = engines;
    this.types = engines.types();
    this.own = engines.own();
    this.piggyBack = piggyBack;
    this.fuse = fuse;
    this.hintEnds =
        (result, thrown) -> {
          writes.leave();
          return null;
        };
    this.readsHint = (result, thrown) -> thrown == null ? overtaken() : null;
    this.clearEnds =
        (result, thrown) -> {
          if (thrown != null) {
            writes.missed();
          }
          writes.leaveAlone();
          if (thrown != null) {
            fuse.failed(new IllegalStateException("a store was only partly cleared", thrown));
          }
          return null;
        };
  }

  @Override
  public @Nullable Frame entered(
      Operation operation, Object engine, @Nullable Object key, @Nullable Object argument) {
    if (operation == Operation.HINT_TO_PUSH) {
      return conversations.get().pushes() ? readsHint : null;
    }
    StockEngine watched = engines.of(engine);
    boolean isHint = watched == null && engine == engines.hints() && puts(operation, argument);
    boolean passes = fuse.isBlown() && !operation.endsLock();
    if ((watched == null && !isHint) || own.isOwn() || passes) {
      return null;
    }
    Conversation conversation = conversations.get();
    try {
      if (!operation.endsLock()) {
        conversation.requireKnown();
      }
      if (watched == null) {
        return hint(conversation);
      }
      Frame frame = begin(operation, watched, key, argument, conversation);
      conversation.admitted();
      return frame;
    } catch (RefusedException refused) {
      if (watched != null && watched.isRemoved()) {
        // A refused truncation would leave the store half deleted: the server has dropped its
        // engine.
        writes.missed();
        return null;
      }
      return new Refusal(refusal(refused, conversation));
    }
  }

  private @Nullable Frame begin(
      Operation operation,
      StockEngine watched,
      @Nullable Object key,
      @Nullable Object argument,
      Conversation conversation)
      throws RefusedException {
    return switch (operation) {
      case GET -> read(conversation);
      case BDB_PUT -> key == null ? null : write(watched, key, null, conversation);
      case BDB_DELETE -> key == null ? null : delete(watched, key, argument, conversation);
      case BDB_LOCK -> key == null ? null : lock(watched, key, conversation);
      case BDB_PUT_AND_UNLOCK -> putAndUnlock(argument, conversation);
      case BDB_RELEASE -> release(argument, conversation);
      case MEMORY_WRITE -> key == null ? null : inMemory(watched, key, argument, conversation);
      case BDB_TRUNCATE, MEMORY_CLEAR -> clear(watched, conversation);
      case HINT_TO_PUSH, ROUTED -> null;
    };
  }

  /**
   * The exception that ends a run of the hint delivery job; null to continue. The job may have read
   * a hint before the rollback that undid its write.
   */
  private @Nullable RuntimeException overtaken() {
    boolean continues = fuse.isBlown() || !pushes.isOvertaken(node.fence());
    return continues
        ? null
        : types.failure(
            "a rollback began while hints were delivered; the next run delivers the hints that stand");
  }

  /**
   * A hint of an undone write would restore it: refuses hints while paused, and of an old epoch.
   */
  private Frame hint(Conversation conversation) throws RefusedException {
    writes.enter(conversation.caller());
    return hintEnds;
  }

  /**
   * Whether the operation adds a hint to the engine of hints. The server deletes a hint by its
   * version; only the agent deletes without one.
   */
  private static boolean puts(Operation operation, @Nullable Object version) {
    return operation == Operation.BDB_PUT
        || (operation == Operation.MEMORY_WRITE && version == null);
  }

  private RuntimeException refusal(RefusedException refused, Conversation conversation) {
    conversation.refuse(refused);
    String why = String.valueOf(refused.getMessage());
    return refused.code() == ErrorCode.UNREACHABLE_STORE
        ? types.unreachable(why)
        : types.failure(why);
  }

  private Frame read(Conversation conversation) throws RefusedException {
    FenceState admitted = node.admission().admit(conversation.caller());
    return (result, thrown) -> {
      if (thrown == null) {
        try {
          node.admission().requireSameFence(admitted);
        } catch (RefusedException refused) {
          return refusal(refused, conversation);
        }
      }
      return null;
    };
  }

  private EngineWrite begun(
      StockEngine engine, Object key, @Nullable VectorClock deleted, Conversation conversation) {
    StoreKey storeKey = new StoreKey(engine.store(), engine.clientKey(key));
    return new EngineWrite(writes, conversation, storeKey, deleted);
  }

  /** Begins a write that ends before the thread begins another. */
  private Frame write(
      StockEngine engine, Object key, @Nullable VectorClock deleted, Conversation conversation)
      throws RefusedException {
    EngineWrite write = begun(engine, key, deleted, conversation);
    write.enter(stripes);
    conversation.write(write);
    return write;
  }

  private Frame delete(
      StockEngine engine, Object key, @Nullable Object version, Conversation conversation)
      throws RefusedException {
    if (version != null) {
      return write(engine, key, types.clock(version), conversation);
    }
    // This delete does not read the record, so read it here; no other thread writes this key
    // meanwhile.
    EngineWrite write = begun(engine, key, null, conversation);
    write.enter(stripes);
    try {
      write.changes(own.run(() -> engine.get(engine.clientKey(key))), null);
    } catch (RuntimeException | Error e) {
      write.leave();
      throw e;
    }
    conversation.write(write);
    return write;
  }

  private Frame lock(StockEngine engine, Object key, Conversation conversation)
      throws RefusedException {
    EngineWrite write = begun(engine, key, null, conversation);
    Frame locking =
        (handle, thrown) -> {
          conversation.write(null);
          if (thrown != null || handle == null) {
            write.leave();
          } else {
            write.lockedBy(handle);
            conversation.locked(write);
          }
          return null;
        };
    write.enter(stripes);
    conversation.write(write);
    return locking;
  }

  private @Nullable Frame putAndUnlock(@Nullable Object handle, Conversation conversation) {
    EngineWrite write = conversation.unlocked(handle);
    if (write == null && fuse.isBlown()) {
      return null;
    }
    if (write == null) {
      throw new IllegalStateException("a record is written that was not locked by this thread");
    }
    conversation.write(write);
    return write;
  }

  private @Nullable Frame release(@Nullable Object handle, Conversation conversation) {
    return conversation.unlocked(handle);
  }

  private Frame inMemory(
      StockEngine engine, Object key, @Nullable Object version, Conversation conversation)
      throws RefusedException {
    VectorClock deleted = version == null ? null : types.clock(version);
    EngineWrite write = begun(engine, key, deleted, conversation);
    Frame writing =
        (result, thrown) -> {
          try {
            write.leaves(engine.memoryRecord(key), thrown);
          } catch (RuntimeException | Error e) {
            // The write is done already.
            writes.missed();
            throw e;
          } finally {
            writes.leave();
          }
          return null;
        };
    writes.enter(conversation.caller());
    try {
      write.begins(engine.memoryRecord(key));
    } catch (RuntimeException | Error e) {
      writes.leave();
      throw e;
    }
    return writing;
  }

  private Frame clear(StockEngine engine, Conversation conversation) throws RefusedException {
    writes.enterAlone(conversation.caller());
    try {
      own.run(
          () ->
              engine.scan(
                  (key, record) ->
                      new EngineWrite(writes, conversation, new StoreKey(engine.store(), key), null)
                          .changes(record, null)));
    } catch (RuntimeException | Error e) {
      writes.leaveAlone();
      throw e;
    }
    return clearEnds;
  }

  @Override
  public void storeRemoved(Object engine) {
    StockEngine removed = engines.of(engine);
    if (removed != null) {
      removed.remove();
      log.warn("store={} state=REMOVED, only the other stores are watched now", removed.store());
    }
  }

  @Override
  public void decoding(byte[] record) {
    EngineWrite write = conversations.get().write();
    if (write != null) {
      write.found(record);
    }
  }

  @Override
  public void encoded(byte[] record) {
    EngineWrite write = conversations.get().write();
    if (write != null) {
      write.writes(record);
    }
  }

  @Override
  public void received(Object builder) {
    piggyBack.received(builder, conversations.get());
  }

  @Override
  public @Nullable Writing answering(Object message) throws IOException {
    if (fuse.isBlown()) {
      return null;
    }
    Conversation conversation = conversations.get();
    if (conversation.isOurs()) {
      return piggyBack.answer(message, conversation);
    }
    Long pushed = pushes.epoch();
    return pushed == null ? null : piggyBack.hint(message, pushed, conversation.pushes());
  }

  @Override
  public void pushes(boolean begins) {
    conversations.get().pushes(begins);
    if (begins) {
      pushes.begun(node.fence());
    } else {
      pushes.ended();
    }
  }

  @Override
  public void requestEnded() {
    conversations.get().end();
  }

  @Override
  public void failed(Throwable bug) {
    // First, since memory may be exhausted: stop the node's progress.
    writes.missed();
    fuse.failed(bug);
  }
}
