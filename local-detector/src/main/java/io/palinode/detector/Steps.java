package io.palinode.detector;

import io.palinode.detector.binding.StoreKey;
import java.util.ArrayList;
import java.util.List;

/** Lists of keys, each short enough to be read in one hold of the write lock. */
final class Steps {
  private static final int KEYS_MAX = 64;

  private Steps() {}

  static List<List<StoreKey>> of(List<StoreKey> keys) {
    List<List<StoreKey>> steps = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += KEYS_MAX) {
      steps.add(keys.subList(from, Math.min(from + KEYS_MAX, keys.size())));
    }
    return steps;
  }
}
