package io.palinode.predicate.template;

import io.palinode.predicate.text.Abridged;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values of captures. Sorted by name, so that its text is canonical: {@code a=3,b=5}. Immutable.
 */
public record Binding(Map<String, String> values) {
  public static final Binding NONE = new Binding(Map.of());

  public Binding {
    values = Collections.unmodifiableMap(new TreeMap<>(values));
  }

  /** Both together, or null if they disagree on a capture. */
  public @Nullable Binding join(Binding other) {
    if (other.values.isEmpty()) {
      return this;
    }
    if (values.isEmpty()) {
      return other;
    }
    TreeMap<String, String> joined = new TreeMap<>(values);
    for (Map.Entry<String, String> entry : other.values.entrySet()) {
      String known = joined.put(entry.getKey(), entry.getValue());
      if (known != null && !known.equals(entry.getValue())) {
        return null;
      }
    }
    return new Binding(joined);
  }

  /** All but the capture. */
  public Binding without(String capture) {
    TreeMap<String, String> others = new TreeMap<>(values);
    return others.remove(capture) == null ? this : new Binding(others);
  }

  /** The capture alone; {@link #NONE} if it has no value here. */
  public Binding only(String capture) {
    String value = values.get(capture);
    return value == null ? NONE : new Binding(Map.of(capture, value));
  }

  /** The canonical text; {@code \}, {@code ,} and {@code =} in values are escaped by {@code \}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> entry : values.entrySet()) {
      text.append(text.isEmpty() ? "" : ",").append(entry.getKey()).append('=');
      appendEscaped(text, entry.getValue());
    }
    return text.toString();
  }

  /** The inverse of {@link #toString}; throws {@link IllegalArgumentException} for other texts. */
  public static Binding parse(String text) {
    TreeMap<String, String> values = new TreeMap<>();
    int at = 0;
    while (at < text.length()) {
      int equals = text.indexOf('=', at);
      if (equals < 0) {
        throw new IllegalArgumentException(
            "a binding must be like a=3,b=5: '" + Abridged.of(text) + "'");
      }
      StringBuilder value = new StringBuilder();
      int end = equals + 1;
      while (end < text.length() && text.charAt(end) != ',') {
        end += text.charAt(end) == '\\' && end + 1 < text.length() ? 1 : 0;
        value.append(text.charAt(end));
        end++;
      }
      if (values.put(text.substring(at, equals), value.toString()) != null) {
        throw new IllegalArgumentException(
            "a binding must hold each capture once: '" + Abridged.of(text) + "'");
      }
      at = end + 1;
    }
    return new Binding(values);
  }

  private static void appendEscaped(StringBuilder text, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\' || c == ',' || c == '=') {
        text.append('\\');
      }
      text.append(c);
    }
  }
}
