package io.palinode.retroscope;

import org.jspecify.annotations.Nullable;

/** Stub: the recent past of one store. */
public final class WindowLog {
  public WindowLog(WindowLogConfig config, long openedAt) {
    throw new IllegalStateException("stub" + config + openedAt);
  }

  /**
   * Records that at {@code hlc} the value of {@code key} stopped being {@code oldValue} (null:
   * absent). {@code hlc} must not be less than the last one.
   */
  public void append(long hlc, byte[] key, byte @Nullable [] oldValue) {
    throw new IllegalStateException("stub");
  }

  /** The earliest T that can be reached. */
  public long reach() {
    throw new IllegalStateException("stub");
  }

  /**
   * The values at {@code target} of all keys that changed after it. Throws {@link
   * OutOfReachException}.
   */
  public Diff diffTo(long target) {
    throw new IllegalStateException("stub");
  }
}
