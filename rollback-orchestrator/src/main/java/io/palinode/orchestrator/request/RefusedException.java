package io.palinode.orchestrator.request;

import java.io.Serial;

/** Thrown when an operator's request cannot be carried out; the message names the reason. */
public final class RefusedException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  public RefusedException(String message) {
    super(message);
  }
}
