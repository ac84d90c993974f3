package io.palinode.hazelcast.node;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.hazelcast.record.EntryValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a plan has restored and that their maps do not have yet: of partitions that the
 * member owns until its resume, of the others until their owner has served. Thread-safe.
 */
final class RestoredEntries {
  private final ConcurrentMap<Integer, Map<StoreKey, Restored>> byPartition =
      new ConcurrentHashMap<>();

  /**
   * An entry that a plan has restored.
   *
   * @param epoch of the plan
   * @param header of its key
   * @param record null: the entry is absent
   */
  record Restored(long epoch, long header, byte @Nullable [] record) {}

  void put(int partition, StoreKey key, Restored restored) {
    byPartition.compute(
        partition,
        (same, entries) -> {
          Map<StoreKey, Restored> all = entries == null ? new ConcurrentHashMap<>() : entries;
          all.put(key, restored);
          return all;
        });
  }

  void remove(int partition, StoreKey key) {
    byPartition.computeIfPresent(
        partition,
        (same, entries) -> {
          entries.remove(key);
          return entries.isEmpty() ? null : entries;
        });
  }

  /** Removes those of partitions that {@code partitions} accepts, up to an epoch. */
  void removeUpTo(long epoch, IntPredicate partitions) {
    byPartition.keySet().stream()
        .filter(partitions::test)
        .forEach(
            partition ->
                byPartition.computeIfPresent(
                    partition,
                    (same, entries) -> {
                      entries.values().removeIf(restored -> restored.epoch() <= epoch);
                      return entries.isEmpty() ? null : entries;
                    }));
  }

  boolean has(int partition) {
    return byPartition.containsKey(partition);
  }

  @Nullable Restored find(int partition, StoreKey key) {
    return byPartition.getOrDefault(partition, Map.of()).get(key);
  }

  /** What the maps of these partitions must get. */
  List<Maps.Entry> of(IntPredicate partitions) {
    List<Maps.Entry> all = new ArrayList<>();
    byPartition.forEach(
        (partition, entries) -> {
          if (partitions.test(partition)) {
            entries.forEach((key, restored) -> all.add(entry(key, partition, restored)));
          }
        });
    return all;
  }

  private static Maps.Entry entry(StoreKey key, int partition, Restored restored) {
    byte[] record = restored.record();
    EntryValue value = record == null ? null : EntryRules.valueOf(record);
    return new Maps.Entry(key, partition, restored.header(), value);
  }
}
