package io.palinode.orchestrator.rest.problem;

import java.util.Arrays;
import java.util.Locale;

/** The kinds of errors. A name in the API never changes its meaning; new ones may be added. */
public enum ProblemCode {
  INVALID_REQUEST(400),
  INVALID_PREDICATE(400),
  UNAUTHORIZED(401),
  FOREIGN_REQUEST(403),
  FORBIDDEN(403),
  NO_SUCH_ROUTE(404),
  NO_SUCH_PREDICATE(404),
  NO_SUCH_VIOLATION(404),
  NO_SUCH_ROLLBACK(404),
  NO_SUCH_SNAPSHOT(404),
  NO_METRICS(404),
  METHOD_NOT_ALLOWED(405),
  REFUSED(409),
  LENGTH_REQUIRED(411),
  VERSION_CHANGED(412),
  BODY_TOO_LARGE(413),
  UNSUPPORTED_MEDIA_TYPE(415),
  INTERNAL_ERROR(500),
  UNAVAILABLE(503),
  NOT_HEALTHY(503),
  NOT_READY(503),
  TOO_MANY_BODIES(503),
  TOO_MANY_CLIENTS(503);

  private final int status;

  ProblemCode(int status) {
    this.status = status;
  }

  int status() {
    return status;
  }

  /** The name in the API, such as {@code no-such-rollback}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The code of an error about which only its HTTP status is known. */
  static ProblemCode of(int status) {
    return Arrays.stream(values())
        .filter(code -> code.status == status)
        .findFirst()
        .orElse(status < 500 ? INVALID_REQUEST : INTERNAL_ERROR);
  }
}
