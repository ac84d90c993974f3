package io.palinode.predicate.text;

import java.io.Serial;

/**
 * A predicate was refused: the message is one sentence that names file, line, construct and the way
 * out.
 */
public final class PredicateException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public PredicateException(String message) {
    super(message);
  }

  public PredicateException(String message, Throwable cause) {
    super(message, cause);
  }
}
