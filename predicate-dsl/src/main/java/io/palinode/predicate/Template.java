package io.palinode.predicate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Text with captures in braces, such as <code>cs_{a}_{b}_{a}</code>; a doubled brace is a literal
 * one. Immutable.
 */
public final class Template {
  private final String text;

  private Template(String text) {
    this.text = text;
  }

  /** Throws {@link IllegalArgumentException} that names the text and the place. */
  public static Template parse(String text) {
    return new Template(text);
  }

  /**
   * The binding of the captures if all of {@code candidate} matches, else null. A capture takes the
   * fewest characters, at least one.
   */
  public @Nullable Binding match(String candidate) {
    throw new IllegalStateException("stub " + text + candidate);
  }

  /** The captures' names in order of first appearance. */
  public List<String> captures() {
    throw new IllegalStateException("stub");
  }

  /** The literal text before the first capture; the whole text when there is none. */
  public String prefix() {
    throw new IllegalStateException("stub");
  }

  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Template other && text.equals(other.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
