package io.palinode.detection.file;

import java.io.Serial;

/** A line of a trace was refused: one sentence that names the line and the reason. */
public final class BadTraceException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  BadTraceException(String source, long line, String reason) {
    super("line " + line + " of " + source + ": " + reason);
  }
}
