package io.palinode.store.hosted;

import java.io.Serial;

/** Thrown if the server must not start. The message has the reason and the way out. */
public final class StartRefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public StartRefusedException(String message) {
    super(message);
  }

  public StartRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
