package io.palinode.orchestrator.health;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Compares the releases that the parts run. Pure. */
public final class Versions {
  /** Of a part that publishes no version, as those of earlier releases. */
  public static final String UNKNOWN = "unknown";

  private static final int CHARS_MAX = 40;
  private static final String PART = "versions";

  private Versions() {}

  /**
   * A published version; {@link #UNKNOWN} for an empty one. Another program may have written it.
   */
  public static String shown(String published) {
    String visible = published.replaceAll("[^\\x21-\\x7e]", "?");
    return visible.isEmpty()
        ? UNKNOWN
        : visible.length() <= CHARS_MAX ? visible : visible.substring(0, CHARS_MAX) + "…";
  }

  /**
   * The result.
   *
   * @param versions of each part by its name, in the order of the answer; each is {@link #shown}
   */
  static Finding finding(Map<String, String> versions) {
    Map<String, List<String>> parts = new TreeMap<>();
    versions.forEach(
        (part, version) -> parts.computeIfAbsent(version, v -> new ArrayList<>()).add(part));
    if (parts.size() == 1 && !parts.containsKey(UNKNOWN)) {
      return Finding.ok(PART, "all parts run " + parts.keySet().iterator().next());
    }
    return Finding.note(
        PART,
        parts.entrySet().stream()
            .map(entry -> entry.getKey() + ": " + String.join(", ", entry.getValue()))
            .collect(Collectors.joining("; ")),
        "update all parts to one version; then see 'palinode --version' on each machine");
  }
}
