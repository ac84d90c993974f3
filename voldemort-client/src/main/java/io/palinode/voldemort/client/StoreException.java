package io.palinode.voldemort.client;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A call failed. Subclasses tell the failures that a program may want to tell apart. */
public sealed class StoreException extends RuntimeException
    permits InsufficientNodesException,
        NodeException,
        ObsoleteVersionException,
        SafePointTimeoutException {
  @Serial private static final long serialVersionUID = 1L;

  StoreException(String message) {
    super(message);
  }

  StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
