package io.palinode.voldemort.client.session;

import io.palinode.hvc.PointInTime;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The safe point did not reach the HLC in time; nothing is known to be wrong. */
public final class SafePointTimeoutException extends StoreException {
  @Serial private static final long serialVersionUID = 1L;
  private final long safePoint;

  /**
   * @param unreachable why no node could be asked of late
   */
  public SafePointTimeoutException(long hlc, long safePoint, @Nullable Throwable unreachable) {
    super(
        "the safe point did not reach "
            + PointInTime.format(hlc)
            + " in time: safe point="
            + PointInTime.format(safePoint),
        unreachable);
    this.safePoint = safePoint;
  }

  /** How far it has come; an HLC. */
  public long safePoint() {
    return safePoint;
  }
}
