package io.palinode.store.binding;

import io.palinode.retroscope.snapshot.RollbackTimes;
import java.util.List;

/** The fence of a node, and what its responses carry to clients. One control thread calls it. */
public interface Serving {
  /**
   * Waits for writes in progress, then refuses requests with a fence. Returns the node's HLC
   * afterwards. Idempotent.
   */
  long pause(long epoch);

  /**
   * Serves requests of {@code epoch}, and answers older ones with a fence that names {@code
   * target}. Also called once at start if no plan is open; a watched node serves no request before.
   * Idempotent.
   */
  void resume(long epoch, long target, long sequentialUntilMicros);

  /**
   * Like {@link #resume(long, long, long)}; the fence also carries the epochs that a client has
   * missed. A store whose protocol cannot carry them omits them.
   */
  default void resume(long epoch, long target, long sequentialUntilMicros, MissedEpochs missed) {
    resume(epoch, target, sequentialUntilMicros);
  }

  /**
   * Sets the keys that clients must use sequentially; fences and first responses carry them.
   * Replaces earlier keys. Called before each {@link #resume}. A store whose protocol cannot carry
   * them does nothing.
   */
  default void sequential(List<SequentialKeys> keys) {}

  /** Sets all known rollbacks, the open one included; no time within one is readable. */
  void rollbacks(RollbackTimes times);

  /**
   * Another node has resumed in the incarnation in which it was paused. Also called for epochs long
   * ago. By the thread that reads the control log.
   */
  default void served(int node, long epoch) {}

  /** Sets the newest safe point, which responses carry to clients. */
  void safePoint(long hlc);
}
