package io.palinode.voldemort;

import io.palinode.store.order.FenceState;
import io.palinode.voldemort.protocol.ErrorCode;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown when a node refuses a request. The node changed nothing. Has no stack trace. */
public final class RefusedException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final transient @Nullable FenceState fence;

  public RefusedException(ErrorCode code, String message) {
    this(code, message, null);
  }

  private RefusedException(ErrorCode code, String message, @Nullable FenceState fence) {
    super(message, null, false, false);
    this.code = code;
    this.fence = fence;
  }

  /** Refuses a request of another epoch, or any request while paused. Stock clients retry later. */
  static RefusedException fenced(int node, FenceState fence) {
    String state = fence.paused() ? "is paused before epoch " : "serves epoch ";
    return new RefusedException(
        ErrorCode.UNREACHABLE_STORE, "node " + node + " " + state + fence.epoch(), fence);
  }

  public ErrorCode code() {
    return code;
  }

  /** The fence for the client; null if the refusal has another reason. */
  public @Nullable FenceState fence() {
    return fence;
  }
}
