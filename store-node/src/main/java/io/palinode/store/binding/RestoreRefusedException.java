package io.palinode.store.binding;

import java.io.Serial;

/** Thrown when a node refuses a restore. The node changed nothing; the message gives the reason. */
public final class RestoreRefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
  private final Reason reason;

  /** What stands in the way. */
  public enum Reason {
    /** What changed is more than the node may hold. */
    TOO_LARGE,
    /** Nothing was to be undone, but which keys changed is not known any more. */
    FORGOTTEN,
    /** The snapshot is not here, or not whole. */
    NO_SNAPSHOT,
    /** Only some writes were to be undone, and the node cannot identify them. */
    ONLY_ALL,
    /** Writes were missed: what to undo is not known. */
    NOT_WATCHING
  }

  public RestoreRefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public RestoreRefusedException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
