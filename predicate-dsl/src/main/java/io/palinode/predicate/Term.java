package io.palinode.predicate;

import org.jspecify.annotations.Nullable;

/** A local predicate: the variable (a key of the store) has this value. Both may hold captures. */
public record Term(Template variable, Template value) {

  /**
   * The binding under which a write of {@code text} to {@code key} makes this term true, or null if
   * under none.
   */
  public @Nullable Binding bind(String key, String text) {
    Binding byKey = variable.match(key);
    Binding byValue = byKey == null ? null : value.match(text);
    return byKey == null || byValue == null ? null : byKey.join(byValue);
  }
}
