package io.palinode.orchestrator.policy;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The texts of predicates by version, including replaced versions. Thread-safe. Bounded in
 * characters; the oldest text is dropped first. A violation is evaluated with the text of that
 * version.
 */
public final class PredicateTexts {
  public static final int CHARACTERS_MAX = 16 << 20;

  private record Key(String name, long version) {}

  private final int charactersMax;
  private final Map<Key, String> texts = new LinkedHashMap<>();
  private long characters;

  public PredicateTexts() {
    this(CHARACTERS_MAX);
  }

  PredicateTexts(int charactersMax) {
    this.charactersMax = charactersMax;
  }

  /** Adds a text. A known version keeps its text. The newest text stays, whatever its size. */
  public synchronized void learn(String name, long version, String yaml) {
    if (yaml.isEmpty() || texts.putIfAbsent(new Key(name, version), yaml) != null) {
      return;
    }
    characters += yaml.length();
    Iterator<String> oldest = texts.values().iterator();
    while (characters > charactersMax && texts.size() > 1) {
      characters -= oldest.next().length();
      oldest.remove();
    }
  }

  /** The text; null: never seen, or dropped. */
  public synchronized @Nullable String get(String name, long version) {
    return texts.get(new Key(name, version));
  }
}
