package io.palinode.orchestrator.request;

import java.io.Serial;

/** What an operator asked for cannot be done as things stand; the message says why. */
public final class RefusedException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  public RefusedException(String message) {
    super(message);
  }
}
