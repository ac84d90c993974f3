package io.palinode.orchestrator.rest.problem;

import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of an error.
 *
 * @param type {@code about:blank}: {@code code} names the kind of error
 * @param title the name of the HTTP status
 * @param detail one sentence
 * @param code the label of a {@link ProblemCode}
 * @param error the detail again, for clients of earlier versions
 */
public record Problem(
    String type, String title, int status, String detail, String code, String error) {
  static final int DETAIL_CHARS_MAX = 2_000;

  private static final String MEDIA_TYPE = "application/problem+json";

  /** Answers the request with an error. */
  public static void write(Context ctx, ProblemCode code, @Nullable String detail) {
    write(ctx, code.status(), code, detail);
  }

  /** Answers the request with an error about which only its HTTP status is known. */
  public static void write(Context ctx, int status, @Nullable String detail) {
    write(ctx, status, ProblemCode.of(status), detail);
  }

  /** A reason may repeat a text of the request. */
  static String cut(String reason) {
    return reason.length() <= DETAIL_CHARS_MAX
        ? reason
        : reason.substring(0, DETAIL_CHARS_MAX - 1) + "…";
  }

  private static void write(Context ctx, int status, ProblemCode code, @Nullable String detail) {
    String reason = cut(Objects.requireNonNullElse(detail, "no reason was given"));
    String title = HttpStatus.forStatus(status).getMessage();
    ctx.status(status)
        .json(new Problem("about:blank", title, status, reason, code.label(), reason))
        .contentType(MEDIA_TYPE);
  }
}
