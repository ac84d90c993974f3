package io.palinode.predicate;

import io.palinode.predicate.template.Binding;
import io.palinode.predicate.template.Template;
import io.palinode.predicate.template.Value;
import io.palinode.predicate.text.Spelling;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The value of the variable (a key) compares so. The variable may hold captures, and {@code equals}
 * may bind more by the value.
 *
 * @param store the store of the key; null: any
 */
public record Term(@Nullable String store, Template variable, Comparison comparison) {
  public static final Pattern STORE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

  public Term {
    requireVariable(variable);
    requireStore(store);
    for (String capture : comparison.captures()) {
      if (!comparison.bound().contains(capture) && !variable.captures().contains(capture)) {
        throw new IllegalArgumentException(unbound(capture, variable, comparison));
      }
    }
  }

  /** Of a key in any store. */
  public Term(Template variable, Comparison comparison) {
    this(null, variable, comparison);
  }

  /** Whether it is about all that a key may be, absent included, and not about its value. */
  public boolean isState() {
    return comparison instanceof Comparison.AnyState;
  }

  /** Whether it is about a write that superseded a version unseen, and not about a value. */
  public boolean isLostUpdate() {
    return comparison instanceof Comparison.LostUpdate;
  }

  /** Whether it is about reads of sessions, and not about a value. */
  public boolean isOfReads() {
    return comparison instanceof Comparison.StaleRead
        || comparison instanceof Comparison.NonMonotonicRead;
  }

  /** Whether it is about the operation that wrote or read a value. */
  public boolean isOfOperations() {
    return comparison instanceof Comparison.OfOperation;
  }

  /** Whether it speaks of keys in {@code name}. */
  public boolean isOfStore(String name) {
    return store == null || store.equals(name);
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

  /** The number of keys and values that the term refused because a match took too many steps. */
  public long gaveUp() {
    return variable.gaveUp() + comparison.gaveUp();
  }

  public static void requireVariable(Template variable) {
    if (variable.toString().isEmpty()) {
      throw new IllegalArgumentException("a variable must not be empty");
    }
  }

  public static void requireStore(@Nullable String store) {
    if (store != null && !STORE.matcher(store).matches()) {
      throw new IllegalArgumentException(
          "a store's name must match " + STORE.pattern() + ": '" + store + "'");
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
