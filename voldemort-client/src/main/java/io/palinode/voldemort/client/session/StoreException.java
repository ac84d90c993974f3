package io.palinode.voldemort.client.session;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown when a call failed. Subclasses name the failures that a program may distinguish. */
public sealed class StoreException extends RuntimeException
    permits InsufficientNodesException,
        NodeException,
        ObsoleteVersionException,
        PausedException,
        SafePointTimeoutException {
  @Serial private static final long serialVersionUID = 1L;

  public StoreException(String message) {
    super(message);
  }

  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
