package io.palinode.agent;

import io.palinode.agent.boot.Frame;
import io.palinode.detector.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.HostedWrites;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A change of one key that is under way in the server: what it found, what it leaves, and whether
 * the node has been told. For the thread that makes it.
 *
 * <p>It is its own end too: between {@link #enter} and that nothing is allocated to get out of the
 * node again, so want of memory leaves nobody in there.
 */
final class EngineWrite implements Frame {
  private final HostedWrites writes;
  private final Conversation conversation;
  private final StoreKey key;
  private final Caller caller;
  private final @Nullable VectorClock deleted;
  private byte @Nullable [] before;
  private byte @Nullable [] after;
  private boolean told;
  private @Nullable Hvc toldAt;
  private @Nullable Object handle;
  private @Nullable ReentrantLock stripe;
  private @Nullable EngineWrite lockedBefore;

  /**
   * @param deleted what a delete covers; null for any other write
   */
  EngineWrite(
      HostedWrites writes, Conversation conversation, StoreKey key, @Nullable VectorClock deleted) {
    this.writes = writes;
    this.conversation = conversation;
    this.key = key;
    this.caller = conversation.caller();
    this.deleted = deleted;
  }

  /**
   * It begins: from now on until {@link #leave} it is in the node, and the only one of its key. By
   * a thread that is in another write, it is only in the node.
   */
  void enter(KeyStripes stripes) throws RefusedException {
    writes.enter(caller);
    try {
      if (!conversation.hasStripe()) {
        ReentrantLock taken = stripes.of(key);
        taken.lock();
        stripe = taken;
        conversation.hasStripe(true);
      }
    } catch (RuntimeException | Error e) {
      writes.leave();
      throw e;
    }
  }

  /** By the same thread. */
  void leave() {
    ReentrantLock taken = stripe;
    if (taken != null) {
      stripe = null;
      conversation.hasStripe(false);
      taken.unlock();
    }
    writes.leave();
  }

  /** It ends, and leaves; also one that has locked its record, and wrote nothing. */
  @Override
  public @Nullable RuntimeException ended(@Nullable Object result, @Nullable Throwable thrown) {
    if (conversation.write() == this) {
      conversation.write(null);
    }
    try {
      if (thrown == null) {
        succeeded();
      } else {
        failed();
      }
    } finally {
      leave();
    }
    return null;
  }

  /** What the key has before it, where nothing tells the record that it finds. */
  void begins(byte @Nullable [] record) {
    before = record;
  }

  /** What the key has after it, likewise. One that failed and changed nothing is not told. */
  void leaves(byte @Nullable [] record, @Nullable Throwable thrown) {
    if (thrown == null || !Arrays.equals(before, record)) {
      tell(record);
    }
    if (thrown == null) {
      succeeded();
    }
  }

  /** The record that it found, under the record's lock. */
  void found(byte[] record) {
    before = record;
    if (deleted != null) {
      List<Versioned> versions = Siblings.decode(record);
      List<Versioned> left = Siblings.delete(versions, deleted);
      boolean same = left.size() == versions.size();
      byte[] rest = left.isEmpty() ? null : Siblings.encode(left);
      tell(same ? record : rest);
    }
  }

  /** The record that it writes, under the same lock. A delete has told that already. */
  void writes(byte[] record) {
    if (deleted == null) {
      tell(record);
    }
  }

  /** From {@code old} to {@code fresh}; null is no record. */
  void changes(byte @Nullable [] old, byte @Nullable [] fresh) {
    before = old;
    tell(fresh);
  }

  private void tell(byte @Nullable [] fresh) {
    after = fresh;
    toldAt = writes.changed(key, before, fresh, deleted, caller);
    conversation.wrote(toldAt);
    told = true;
  }

  /**
   * It went well. Only now a delete stands, also one that found nothing: there may be something
   * elsewhere, which goes when a rollback makes replicas equal.
   */
  private void succeeded() {
    if (deleted == null) {
      return;
    }
    if (!told) {
      tell(null);
    }
    writes.deleted(key, deleted, toldAt, caller);
  }

  /** It failed after it was told: the key is again what it was. */
  private void failed() {
    if (told) {
      told = false;
      Object unused = writes.changed(key, after, before, null, Caller.STOCK);
    }
  }

  void lockedBy(Object lock) {
    handle = lock;
  }

  /** Which record the same thread had locked before, and has still; null: none. */
  @Nullable EngineWrite lockedBefore() {
    return lockedBefore;
  }

  void lockedBefore(@Nullable EngineWrite other) {
    lockedBefore = other;
  }

  boolean hasHandle(@Nullable Object lock) {
    return handle == lock;
  }
}
