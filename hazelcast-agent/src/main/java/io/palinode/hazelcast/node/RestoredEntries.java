package io.palinode.hazelcast.node;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hazelcast.record.EntryForm;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hazelcast.record.EntryValue;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Entries that a plan has restored and that their maps do not have yet. Thread-safe. */
final class RestoredEntries {
  private final ConcurrentMap<StoreKey, Restored> all = new ConcurrentHashMap<>();
  private final AtomicIntegerArray counts;

  RestoredEntries(int partitions) {
    this.counts = new AtomicIntegerArray(partitions);
  }

  /**
   * An entry as it was at the target of a plan.
   *
   * @param epoch of the plan
   * @param owner the node that owned the partition then; negative if none did
   * @param header of the key
   * @param record null: the entry was absent
   */
  record Restored(long epoch, int owner, int partition, long header, byte @Nullable [] record) {
    /** What the map must get now; null if the entry was absent, or its time has ended since. */
    @Nullable EntryValue value() {
      EntryValue value = record == null ? null : EntryRules.valueOf(record);
      return value == null || hasEnded(value.form()) ? null : value;
    }

    boolean hasEnded() {
      return record != null && value() == null;
    }

    private static boolean hasEnded(EntryForm form) {
      return form.endsAtMillis() <= System.currentTimeMillis();
    }

    boolean isGiven(@Nullable EntryValue written) {
      EntryValue value = value();
      return Arrays.equals(
          value == null ? null : value.bytes(), written == null ? null : written.bytes());
    }
  }

  void put(StoreKey key, Restored restored) {
    all.compute(
        key,
        (same, old) -> {
          if (old == null) {
            counts.incrementAndGet(restored.partition());
          }
          return restored;
        });
  }

  /** Removes it, unless another one has replaced it: its record is another array. */
  void remove(StoreKey key, Restored restored) {
    all.computeIfPresent(
        key,
        (same, now) -> {
          if (!now.equals(restored)) {
            return now;
          }
          counts.decrementAndGet(restored.partition());
          return null;
        });
  }

  void removeIf(Predicate<Restored> condition) {
    all.forEach(
        (key, restored) -> {
          if (condition.test(restored)) {
            remove(key, restored);
          }
        });
  }

  /** Whether it has an entry of this partition. O(1). */
  boolean has(int partition) {
    return counts.get(partition) > 0;
  }

  @Nullable Restored find(StoreKey key) {
    return all.get(key);
  }

  void forEach(BiConsumer<StoreKey, Restored> visitor) {
    all.forEach(visitor);
  }
}
