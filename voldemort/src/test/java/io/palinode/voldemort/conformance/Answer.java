package io.palinode.voldemort.conformance;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a node said, in no protocol any more. Siblings are in no order. */
sealed interface Answer {
  /** One version of a key; the bytes of the value as chars. */
  record Version(String clock, String value) {
    static Version of(Clock clock, String value) {
      return new Version(clock.toString(), value);
    }
  }

  record Versions(List<Version> found) implements Answer {
    public Versions {
      found = sorted(found);
    }
  }

  record Clocks(List<String> found) implements Answer {
    public Clocks {
      found = found.stream().sorted().toList();
    }
  }

  record Keyed(Map<String, List<Version>> found) implements Answer {
    public Keyed {
      TreeMap<String, List<Version>> sorted = new TreeMap<>();
      found.forEach((key, versions) -> sorted.put(key, sorted(versions)));
      found = sorted;
    }
  }

  record Done() implements Answer {}

  record Deleted(boolean found) implements Answer {}

  /** Messages are for people and are not compared. */
  record Refused(int code, String message) implements Answer {}

  /** The end of the connection, and what came before it instead of an answer. */
  record Closed(String before) implements Answer {}

  /** Nothing in time. */
  record Silence() implements Answer {}

  private static List<Version> sorted(Collection<Version> versions) {
    return versions.stream()
        .sorted((a, b) -> a.toString().compareTo(b.toString()))
        .collect(Collectors.toList());
  }
}
