package io.palinode.store.control;

import io.palinode.detector.binding.StoreKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Of the slices in which replicas differ, those that one attempt exchanges: every node holds what
 * all have in them, so there is a limit. Each node works it out from the log, and all come to the
 * same.
 *
 * @param rest the first that is left for the next attempt; null: none
 */
record SliceRound(List<StoreKey> slices, @Nullable StoreKey rest) {
  private static final Comparator<StoreKey> ORDER =
      Comparator.comparing(StoreKey::store).thenComparing(StoreKey::key, Arrays::compareUnsigned);

  /**
   * At least one, if any differs.
   *
   * @param weights of each, of all nodes together, in bytes
   * @param from those before it were exchanged already; null: none was
   * @param bytesMax 0: no limit
   */
  static SliceRound of(
      List<StoreKey> differing,
      Map<StoreKey, Long> weights,
      @Nullable StoreKey from,
      long bytesMax) {
    List<StoreKey> slices = new ArrayList<>();
    long bytes = 0;
    for (StoreKey slice : differing.stream().sorted(ORDER).toList()) {
      if (from != null && ORDER.compare(slice, from) < 0) {
        continue;
      }
      bytes += weights.getOrDefault(slice, 0L);
      if (bytesMax > 0 && bytes > bytesMax && !slices.isEmpty()) {
        return new SliceRound(List.copyOf(slices), slice);
      }
      slices.add(slice);
    }
    return new SliceRound(List.copyOf(slices), null);
  }
}
