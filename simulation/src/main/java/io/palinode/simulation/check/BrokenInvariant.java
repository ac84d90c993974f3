package io.palinode.simulation.check;

import java.io.Serial;

/**
 * Something that must hold does not. An error, so that it passes through whatever a process catches
 * to go on.
 */
public final class BrokenInvariant extends Error {
  @Serial private static final long serialVersionUID = 1L;

  public BrokenInvariant(Invariant invariant, String what) {
    super(invariant + ": " + what);
  }
}
