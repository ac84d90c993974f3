package io.palinode.simulation.node;

import java.io.Serial;

/**
 * Ends a process in the middle of an action. An error, so that no code handles it as a failure and
 * continues.
 */
final class Killed extends Error {
  @Serial private static final long serialVersionUID = 1L;

  Killed() {
    super("killed", null, false, false);
  }
}
