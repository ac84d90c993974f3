package io.palinode.orchestrator.rest.problem;

import java.io.Serial;

/** Thrown when a request is answered with an error. Its message is the detail. */
public final class ProblemException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final ProblemCode code;

  public ProblemException(ProblemCode code, String detail) {
    super(detail);
    this.code = code;
  }

  public ProblemCode code() {
    return code;
  }
}
