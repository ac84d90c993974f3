package io.palinode.predicate;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A local predicate: the value of the variable (a key of the store) compares so. The variable may
 * hold captures, and {@code equals} may bind more by the value.
 */
public record Term(Template variable, Comparison comparison) {

  public Term {
    requireVariable(variable);
    for (String capture : comparison.captures()) {
      if (!comparison.bound().contains(capture) && !variable.captures().contains(capture)) {
        throw new IllegalArgumentException(unbound(capture, variable, comparison));
      }
    }
  }

  /**
   * The binding under which a write of {@code text} to {@code key} makes this term true, or null if
   * under none. The key binds its captures first; where they stand in the value too, the value has
   * to hold the same.
   */
  public @Nullable Binding bind(String key, String text) {
    Binding byKey = variable.match(key);
    Binding byValue = byKey == null ? null : comparison.bind(new Value(text), byKey);
    return byKey == null || byValue == null ? null : byKey.join(byValue);
  }

  /** The names that a binding of this term holds, sorted. */
  public Set<String> captures() {
    TreeSet<String> names = new TreeSet<>(variable.captures());
    names.addAll(comparison.bound());
    return Collections.unmodifiableSet(names);
  }

  /** How many keys and values were called no match because it would have taken too long to tell. */
  public long gaveUp() {
    return variable.gaveUp() + comparison.gaveUp();
  }

  static void requireVariable(Template variable) {
    if (variable.toString().isEmpty()) {
      throw new IllegalArgumentException("a variable must not be empty");
    }
  }

  private static String unbound(String capture, Template variable, Comparison comparison) {
    return "a capture in "
        + comparison.word()
        + " must be in the variable, for only equals binds by the value: '"
        + capture
        + "' is not in '"
        + variable
        + "'"
        + Spelling.hint(capture, variable.captures());
  }
}
