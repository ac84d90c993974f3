package io.palinode.predicate;

import java.io.IOException;
import java.nio.file.Path;

/** Reads and writes predicates. XML when the text starts with {@code <}, else YAML. */
public final class Predicates {
  private Predicates() {}

  /** Throws {@link PredicateException} for anything that is not a valid, supported predicate. */
  public static Predicate read(Path file) throws IOException {
    return parse(java.nio.file.Files.readString(file), file.toString());
  }

  /** {@code source} names the text in errors. */
  public static Predicate parse(String text, String source) {
    throw new IllegalStateException("stub" + text + source);
  }

  /** The canonical YAML form; {@code parse(toYaml(p))} equals p. */
  public static String toYaml(Predicate predicate) {
    throw new IllegalStateException("stub" + predicate);
  }

  /** The XML form of the full language; {@code parse(toXml(p))} equals p. */
  public static String toXml(Predicate predicate) {
    throw new IllegalStateException("stub" + predicate);
  }
}
