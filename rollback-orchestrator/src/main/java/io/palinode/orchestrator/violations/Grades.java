package io.palinode.orchestrator.violations;

import io.palinode.hvc.Grade;
import io.palinode.wire.v1.ViolationGrade;

/** Converts grades of the wire to grades of the clocks. */
public final class Grades {
  private Grades() {}

  /** Returns the grade; an unknown one counts as the least. */
  public static Grade of(ViolationGrade grade) {
    return switch (grade) {
      case DEFINITE -> Grade.DEFINITE;
      case POSSIBLE -> Grade.POSSIBLE;
      case UNCERTAIN, VIOLATION_GRADE_UNSPECIFIED, UNRECOGNIZED -> Grade.UNCERTAIN;
    };
  }
}
