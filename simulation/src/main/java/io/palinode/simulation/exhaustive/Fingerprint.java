package io.palinode.simulation.exhaustive;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** 128 bits of what was added, in its order: two states with the same bits are taken for one. */
final class Fingerprint {
  private static final long P1 = 0x9E3779B97F4A7C15L;
  private static final long P2 = 0xC2B2AE3D27D4EB4FL;

  private long one = P2;
  private long two = P1;

  /**
   * Numbers for values: equal ones have the same, and no others. So what is added of them is as
   * exact as they are, however poor their hash codes.
   */
  static final class Values {
    private static final int RECENT = 1 << 14;

    private final Map<Object, Integer> numbers = new HashMap<>();

    /** Values numbered lately, by identity: a world shares most of them with its copy. */
    private final @Nullable Object[] recent = new Object[RECENT];

    private final int[] recentNumbers = new int[RECENT];

    int number(Object value) {
      int slot = System.identityHashCode(value) & (RECENT - 1);
      if (recent[slot] != value) {
        Integer known = numbers.putIfAbsent(value, numbers.size());
        recent[slot] = value;
        recentNumbers[slot] = known == null ? numbers.size() - 1 : known;
      }
      return recentNumbers[slot];
    }
  }

  /** What it comes to. */
  record Bits(long one, long two) {}

  void add(long... values) {
    for (long value : values) {
      one = Long.rotateLeft((one ^ value) * P1, 29) + P2;
      two = Long.rotateLeft((two + value) * P2, 31) ^ (two >>> 17);
    }
  }

  Bits bits() {
    return new Bits(one, two);
  }
}
