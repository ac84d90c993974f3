package io.palinode.orchestrator.rest;

import java.io.Serial;

/** Thrown when the API cannot listen on its address. */
public final class ListenException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public ListenException(String message, Throwable cause) {
    super(message, cause);
  }
}
