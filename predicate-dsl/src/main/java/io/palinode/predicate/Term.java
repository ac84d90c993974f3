package io.palinode.predicate;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A local predicate: the variable (a key of the store) has this value. Both may hold captures. */
public record Term(Template variable, Template value) {

  public Term {
    if (variable.toString().isEmpty()) {
      throw new IllegalArgumentException("a variable must not be empty: value='" + value + "'");
    }
  }

  /**
   * The binding under which a write of {@code text} to {@code key} makes this term true, or null if
   * under none. The key binds its captures first; where they stand in the value too, the value has
   * to hold the same.
   */
  public @Nullable Binding bind(String key, String text) {
    Binding byKey = variable.match(key);
    Binding byValue = byKey == null ? null : value.match(text, byKey);
    return byKey == null || byValue == null ? null : byKey.join(byValue);
  }

  /** The names that a binding of this term holds, sorted. */
  public Set<String> captures() {
    TreeSet<String> names = new TreeSet<>(variable.captures());
    names.addAll(value.captures());
    return Collections.unmodifiableSet(names);
  }
}
