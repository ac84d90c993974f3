package io.palinode.agent.engine;

import io.palinode.agent.boot.Frame;
import io.palinode.detector.binding.StoreKey;
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
 * A running write of one key in the server: its records before and after, and whether it was passed
 * on. For the thread of the write.
 *
 * <p>It is also the frame of its end: leaving the node allocates nothing, so a lack of memory
 * leaves no thread in the node.
 */
final class EngineWrite implements Frame {
  private final HostedWrites writes;
  private final Conversation conversation;
  private final StoreKey key;
  private final Caller caller;
  private final @Nullable VectorClock deleted;
  private byte @Nullable [] before;
  private byte @Nullable [] after;
  private boolean passedOn;
  private @Nullable Hvc passedOnAt;
  private @Nullable Object handle;
  private @Nullable ReentrantLock stripe;
  private @Nullable EngineWrite lockedBefore;

  /**
   * @param deleted the clock that a delete covers; null for any other write
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
   * Begins the write: until {@link #leave} it is in the node, and the only write of its key. If the
   * thread is in another write, it does not take the key's lock.
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

  /** Ends the write. Call in the same thread. */
  void leave() {
    ReentrantLock taken = stripe;
    if (taken != null) {
      stripe = null;
      conversation.hasStripe(false);
      taken.unlock();
    }
    writes.leave();
  }

  /** {@inheritDoc} Leaves the node; also if the write locked its record and changed nothing. */
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

  /** The record before the write, if no hook passes it on. */
  void begins(byte @Nullable [] record) {
    before = record;
  }

  /**
   * The record after the write, if no hook passes it on. A failed write without a change is not
   * passed on.
   */
  void leaves(byte @Nullable [] record, @Nullable Throwable thrown) {
    if (thrown == null || !Arrays.equals(before, record)) {
      passOn(record);
    }
    if (thrown == null) {
      succeeded();
    }
  }

  /** The record that the write found, under the record's lock. */
  void found(byte[] record) {
    before = record;
    if (deleted != null) {
      List<Versioned> versions = Siblings.decode(record);
      List<Versioned> left = Siblings.delete(versions, deleted);
      boolean same = left.size() == versions.size();
      byte[] rest = left.isEmpty() ? null : Siblings.encode(left);
      passOn(same ? record : rest);
    }
  }

  /** The record that the write leaves, under the same lock. A delete has already passed it on. */
  void writes(byte[] record) {
    if (deleted == null) {
      passOn(record);
    }
  }

  /** Passes on a change from {@code old} to {@code fresh}; null is no record. */
  void changes(byte @Nullable [] old, byte @Nullable [] fresh) {
    before = old;
    passOn(fresh);
  }

  private void passOn(byte @Nullable [] fresh) {
    after = fresh;
    passedOnAt = writes.changed(key, before, fresh, deleted, caller);
    conversation.wrote(passedOnAt);
    passedOn = true;
  }

  /**
   * The write succeeded. Only now a delete counts, even if it found nothing: a rollback applies it
   * to the other replicas.
   */
  private void succeeded() {
    if (deleted == null) {
      return;
    }
    if (!passedOn) {
      passOn(null);
    }
    writes.deleted(key, deleted, passedOnAt, caller);
  }

  /** The write failed after it was passed on: passes on its reverse. */
  private void failed() {
    if (passedOn) {
      passedOn = false;
      Object unused = writes.changed(key, after, before, null, Caller.STOCK);
    }
  }

  void lockedBy(Object lock) {
    handle = lock;
  }

  /** The thread's earlier write that still has its lock; null if there is none. */
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
