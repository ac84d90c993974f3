package io.palinode.predicate.text;

import java.util.function.Supplier;

/** Where something stands in a text; line and column count from 1. */
public record Place(String source, int line, int column) {
  /** Of what was not read from a text. */
  public static final Place NONE = new Place("", 0, 0);

  /** The result of {@code make}; a value that it refuses is refused with this place. */
  public <T> T require(Supplier<T> make) {
    try {
      return make.get();
    } catch (IllegalArgumentException refused) {
      throw refusal(String.valueOf(refused.getMessage()), refused);
    }
  }

  public PredicateException refusal(String reason) {
    return new PredicateException(this + ": " + reason);
  }

  public PredicateException refusal(String reason, Throwable cause) {
    return new PredicateException(this + ": " + reason, cause);
  }

  /** {@code edge-mutex.yaml:7:3}. */
  @Override
  public String toString() {
    return source + ":" + line + ":" + column;
  }
}
