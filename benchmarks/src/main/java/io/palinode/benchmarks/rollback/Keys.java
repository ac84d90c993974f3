package io.palinode.benchmarks.rollback;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.voldemort.protocol.VectorClock;
import java.util.SortedMap;
import java.util.TreeMap;

/** The keys of the benchmark's store, and their versions. */
final class Keys {
  private Keys() {}

  static byte[] key(int i) {
    return "key-%08d".formatted(i).getBytes(UTF_8);
  }

  /** Any later {@code count} supersedes an earlier one. */
  static VectorClock version(long count) {
    SortedMap<Integer, Long> entries = new TreeMap<>();
    entries.put(0, count);
    return VectorClock.of(entries, count);
  }
}
