package io.palinode.orchestrator.rest;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Something that is needed does not answer at the moment. */
public final class UnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public UnavailableException(String message) {
    super(message);
  }

  public UnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
