package io.palinode.agent;

import java.io.Serial;

/** Thrown if the server must not start. The message has the reason and the way out. */
final class StartRefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  StartRefusedException(String message) {
    super(message);
  }

  StartRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
