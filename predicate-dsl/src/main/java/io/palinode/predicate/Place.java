package io.palinode.predicate;

/** Where something stands in a text; line and column count from 1. */
record Place(String source, int line, int column) {
  /** Of what was not read from a text. */
  static final Place NONE = new Place("", 0, 0);

  PredicateException refusal(String reason) {
    return new PredicateException(this + ": " + reason);
  }

  PredicateException refusal(String reason, Throwable cause) {
    return new PredicateException(this + ": " + reason, cause);
  }

  /** {@code edge-mutex.yaml:7:3}. */
  @Override
  public String toString() {
    return source + ":" + line + ":" + column;
  }
}
