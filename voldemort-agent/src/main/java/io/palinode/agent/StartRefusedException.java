package io.palinode.agent;

import java.io.Serial;

/** The server must not start as it is; the message says why, and the way out. */
final class StartRefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  StartRefusedException(String message) {
    super(message);
  }

  StartRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
