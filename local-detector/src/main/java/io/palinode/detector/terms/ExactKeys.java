package io.palinode.detector.terms;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.terms.TermIndex.Match;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A read-only hash table from a key's bytes, at most half full, probed in line: unlike a HashMap,
 * it is asked without wrapping the bytes in an object.
 */
final class ExactKeys {
  private final byte[][] keys;
  private final List<List<Match>> matches;
  private final int mask;

  private ExactKeys(Map<StoreKey, List<Match>> terms) {
    int slots = Integer.highestOneBit(Math.max(1, terms.size() * 2)) * 2;
    keys = new byte[slots][];
    matches = new ArrayList<>(java.util.Collections.nCopies(slots, List.of()));
    mask = slots - 1;
    terms.forEach(
        (key, found) -> {
          int slot = slotOf(key.key());
          keys[slot] = key.key();
          matches.set(slot, List.copyOf(found));
        });
  }

  List<Match> get(byte[] key) {
    return matches.get(slotOf(key));
  }

  /** The slot of {@code key}, or the empty one where it would go. */
  private int slotOf(byte[] key) {
    int hash = Arrays.hashCode(key) * 0x9E3779B9;
    int slot = (hash >>> 16 ^ hash) & mask;
    while (keys[slot] != null && !Arrays.equals(keys[slot], key)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  static final class Builder {
    private final Map<StoreKey, List<Match>> terms = new LinkedHashMap<>();

    void add(byte[] key, Match match) {
      terms.computeIfAbsent(new StoreKey("", key), k -> new ArrayList<>()).add(match);
    }

    ExactKeys build() {
      return new ExactKeys(terms);
    }
  }
}
