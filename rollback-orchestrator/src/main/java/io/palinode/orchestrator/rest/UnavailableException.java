package io.palinode.orchestrator.rest;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown while a needed component does not answer. */
public final class UnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public UnavailableException(String message) {
    super(message);
  }

  public UnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
