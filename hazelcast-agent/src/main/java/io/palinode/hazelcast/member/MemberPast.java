package io.palinode.hazelcast.member;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hazelcast.internal.serialization.Data;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a member holds of a key at earlier times. */
public final class MemberPast {
  private final WatchedMember member;

  public MemberPast(WatchedMember member) {
    this.member = member;
  }

  /**
   * The value at {@code hlc}; null if the key was absent. Throws {@link OutOfReachException} for a
   * time that the window-log does not reach, or at which the member did not hold the key's
   * partition, and {@link IllegalArgumentException} if it does not hold it now.
   *
   * @param key a string
   */
  public @Nullable String get(String map, String key, long hlc) {
    int partition = requireWatched(map, key);
    requireHeld(map, partition, hlc);
    StoreKey name = EntryKeys.of(map, key);
    byte[] record = member.node().history().getAsOf(name.store(), name.key(), hlc);
    requireHeld(map, partition, hlc);
    return value(record);
  }

  /** The same in this member's part of a snapshot, if it held the partition then. */
  public @Nullable String get(String map, String key, OpenSnapshot snapshot) {
    int partition = requireWatched(map, key);
    StoreKey name = EntryKeys.of(map, key);
    byte[] record = snapshot.get(name.store(), name.key());
    if (record == null) {
      requireHeld(map, partition, snapshot.hlc());
    }
    return value(record);
  }

  /** The key's partition. */
  private int requireWatched(String map, String key) {
    if (!member.holds(map)) {
      throw new IllegalArgumentException("the map '%s' is not watched".formatted(map));
    }
    Data data = member.hazelcast().getSerializationService().toData(key);
    return member.hazelcast().getPartitionService().getPartitionId(data);
  }

  private static @Nullable String value(byte @Nullable [] record) {
    List<Version> versions = record == null ? List.of() : new EntryRules().versions(record);
    return versions.isEmpty() ? null : new String(versions.get(0).value(), UTF_8);
  }

  private void requireHeld(String map, int partition, long hlc) {
    long since = member.heldSince(map, partition);
    if (since == WatchedMember.NOT_HELD) {
      throw new IllegalArgumentException(
          "this member does not hold partition %d of the map '%s'; ask another one"
              .formatted(partition, map));
    }
    if (hlc < since) {
      throw new OutOfReachException(hlc, since, member.node().clock().last().own());
    }
  }
}
