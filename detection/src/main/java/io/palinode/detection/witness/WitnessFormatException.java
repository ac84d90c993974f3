package io.palinode.detection.witness;

import java.io.Serial;

/** A text is no witness: one sentence that begins with {@code source:line:column: field}. */
public final class WitnessFormatException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  WitnessFormatException(String source, JsonField field, String reason) {
    super(
        "%s:%d:%d: %s%s%s"
            .formatted(
                source,
                field.line(),
                field.column(),
                field.path(),
                field.path().isEmpty() ? "" : " ",
                reason));
  }

  WitnessFormatException(String source, int line, int column, String reason, Throwable cause) {
    super("%s:%d:%d: %s".formatted(source, line, column, reason), cause);
  }
}
