package io.palinode.predicate.text;

import java.io.Serial;

/**
 * A predicate was refused: the message is one sentence that names file, line, construct and the way
 * out.
 */
public final class PredicateException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** A message may echo much of a text. */
  private static final int CHARACTERS_MAX = 2_000;

  public PredicateException(String message) {
    super(Abridged.atMost(CHARACTERS_MAX, message));
  }

  public PredicateException(String message, Throwable cause) {
    super(Abridged.atMost(CHARACTERS_MAX, message), cause);
  }
}
