package io.palinode.simulation.node;

import java.io.Serial;

/** Whether a record is in the log is not known. */
final class AppendUnknown extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  AppendUnknown(String message) {
    super(message, null, false, false);
  }
}
