package io.palinode.simulation.check;

import io.palinode.hvc.Hlc;
import io.palinode.wire.v1.Violation;
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

  /** What a violation is, on a line. */
  static String text(Violation violation) {
    return "violation %s of %s|%s, epoch %d, at %s"
        .formatted(
            violation.getId().substring(0, 8),
            violation.getPredicate(),
            violation.getBinding(),
            violation.getEpoch(),
            Hlc.format(violation.getViolate()));
  }
}
