package io.palinode.orchestrator.rest.access;

import java.io.Serial;

/** Thrown when a users file cannot be used. The message names the file and the line. */
public final class UsersException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  UsersException(String message) {
    super(message);
  }
}
