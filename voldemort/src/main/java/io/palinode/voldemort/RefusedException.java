package io.palinode.voldemort;

import io.palinode.voldemort.protocol.ErrorCode;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A node does not do what a request asks, and changed nothing. Cheap: it carries no stack trace.
 */
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

  /** The request is of another epoch, or the node is paused. Stock clients try again later. */
  static RefusedException fenced(int node, FenceState fence) {
    String state = fence.paused() ? "is paused before epoch " : "serves epoch ";
    return new RefusedException(
        ErrorCode.UNREACHABLE_STORE, "node " + node + " " + state + fence.epoch(), fence);
  }

  public ErrorCode code() {
    return code;
  }

  /** What the client is to know of epochs; null when it was refused for another reason. */
  public @Nullable FenceState fence() {
    return fence;
  }
}
