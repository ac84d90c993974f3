package io.palinode.orchestrator.policy;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The texts of predicates by version, also of versions that were replaced: a violation is judged by
 * the one that found it. Bounded in characters; the oldest goes first. Thread-safe.
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

  /** What is known already stays: a version has one text. The newest is kept whatever its size. */
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

  /** Null when it was never seen here, or too long ago. */
  public synchronized @Nullable String get(String name, long version) {
    return texts.get(new Key(name, version));
  }
}
