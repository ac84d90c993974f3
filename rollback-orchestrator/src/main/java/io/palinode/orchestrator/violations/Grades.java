package io.palinode.orchestrator.violations;

import io.palinode.hvc.Grade;
import io.palinode.wire.v1.ViolationGrade;

/** The grades of the wire as the grades of the clocks. */
public final class Grades {
  private Grades() {}

  /** A grade that this version does not know is the least one: it acts only where all do. */
  public static Grade of(ViolationGrade grade) {
    return switch (grade) {
      case DEFINITE -> Grade.DEFINITE;
      case POSSIBLE -> Grade.POSSIBLE;
      case UNCERTAIN, VIOLATION_GRADE_UNSPECIFIED, UNRECOGNIZED -> Grade.UNCERTAIN;
    };
  }
}
