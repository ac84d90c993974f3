package io.palinode.predicate.text;

import java.util.function.Function;

/** A piece of text and where it was written. */
public record Text(String value, Place place) {
  /** One that was not read. */
  public Text(String value) {
    this(value, Place.NONE);
  }

  /** The result of {@code parse}; a text that it refuses is refused with its place. */
  public <T> T read(Function<String, T> parse) {
    return place.require(() -> parse.apply(value));
  }

  public PredicateException refusal(String reason) {
    return place.refusal(reason);
  }

  @Override
  public String toString() {
    return value;
  }
}
