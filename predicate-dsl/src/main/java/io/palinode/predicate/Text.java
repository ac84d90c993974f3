package io.palinode.predicate;

/** A piece of text and where it was written. */
record Text(String value, Place place) {
  PredicateException refusal(String reason) {
    return place.refusal(reason);
  }

  @Override
  public String toString() {
    return value;
  }
}
