package io.palinode.orchestrator.rest;

import java.io.Serial;

/** The API cannot listen where it was told to. */
public final class ListenException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public ListenException(String message, Throwable cause) {
    super(message, cause);
  }
}
