package io.palinode.launcher;

import java.io.IOException;
import java.io.Serial;

/** Thrown when a part cannot start because its port, folder or number is not available. */
public final class StartRefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  StartRefusedException(IOException cause) {
    super(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
  }

  StartRefusedException(String reason) {
    super(reason);
  }
}
