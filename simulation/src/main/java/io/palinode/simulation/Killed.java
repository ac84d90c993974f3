package io.palinode.simulation;

import java.io.Serial;

/**
 * A process dies here, in the middle of what it does. An error, so that nothing on the way takes it
 * for a failure to go on from.
 */
final class Killed extends Error {
  @Serial private static final long serialVersionUID = 1L;

  Killed() {
    super("killed", null, false, false);
  }
}
