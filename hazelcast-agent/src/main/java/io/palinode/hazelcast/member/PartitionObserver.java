package io.palinode.hazelcast.member;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.util.Clock;
import com.hazelcast.map.impl.record.Record;
import com.hazelcast.map.impl.recordstore.MutationObserver;
import com.hazelcast.map.impl.recordstore.RecordStore;
import com.hazelcast.map.impl.recordstore.expiry.ExpiryMetadata;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hazelcast.node.MemberNode;
import io.palinode.hazelcast.record.EntryForm;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Announces the changes of a map in one partition. Called in the partition's thread, and throws
 * nothing there.
 */
public final class PartitionObserver implements MutationObserver<Record<Object>> {
  private final WatchedMember member;
  private final RecordStore<Record<Object>> store;
  private final EntryText text;
  private final byte[] map;
  private final int partition;
  // Of the partition's thread.
  private boolean isDestroyed;

  PartitionObserver(WatchedMember member, RecordStore<Record<Object>> store, EntryText text) {
    this.member = member;
    this.store = store;
    this.text = text;
    this.map = EntryKeys.ofMap(store.getName());
    this.partition = store.getPartitionId();
  }

  int partition() {
    return partition;
  }

  @Override
  public void onPutRecord(
      Data key, @Nullable Record<Object> record, @Nullable Object oldValue, boolean backup) {
    put(key, record == null ? null : record.getValue(), record != null);
  }

  @Override
  public void onUpdateRecord(
      Data key, Record<Object> record, @Nullable Object oldValue, Object newValue, boolean backup) {
    put(key, newValue, false);
  }

  @Override
  public void onLoadRecord(Data key, Record<Object> record, boolean backup) {
    put(key, record.getValue(), false);
  }

  @Override
  public void onRemoveRecord(Data key, @Nullable Record<Object> record, boolean backup) {
    put(key, null, false);
  }

  @Override
  public void onEvictRecord(Data key, Record<Object> record, boolean backup) {
    put(key, null, false);
  }

  /**
   * @param isNew whether the entry was absent
   */
  private void put(Data key, @Nullable Object value, boolean isNew) {
    member.guarded(
        node -> {
          member.settleOwner(partition, key, isNew);
          StoreKey name = keyOf(key);
          EntryValue stored = null;
          try {
            stored = stored(key, value);
          } finally {
            // Null if its serializer refuses it: its earlier value is no longer there.
            node.changed(name, partition, stored);
          }
          if (value != null) {
            awaitExpiry(key);
          }
        });
  }

  @Override
  public void onReplicationPutRecord(Data key, Record<Object> record, boolean populateIndex) {
    member.guarded(
        node -> {
          member.settleOwner(partition, key, false);
          StoreKey name = keyOf(key);
          node.replicated(name, partition, stored(key, record.getValue()));
          if (node.owns(partition)) {
            boolean unused = node.announce(name, true);
          }
          awaitExpiry(key);
        });
  }

  /** {@inheritDoc} Another member sends all entries, or clusters merge after a split. */
  @Override
  public void onReset() {
    member.guarded(
        node -> {
          for (Data key : keys()) {
            StoreKey name = keyOf(key);
            node.replicated(name, partition, null);
            if (node.owns(partition)) {
              boolean unused = node.announce(name, false);
            }
          }
          node.beginAgain();
        });
  }

  /** {@inheritDoc} The map is destroyed, or the member no longer holds the partition. */
  @Override
  public void onClear() {
    member.guarded(
        node -> {
          // A member that ends keeps what it had: it ends its intervals itself.
          if (member.isInCluster()) {
            member.settleOwner(partition, null, false);
            keys().forEach(key -> node.changed(keyOf(key), partition, null));
          }
        });
  }

  @Override
  public void onDestroy(boolean isDuringShutdown, boolean internal) {
    isDestroyed = true;
    member.forget(this);
  }

  /**
   * Announces all entries, because the member owns the partition from now on, or no longer. Returns
   * whether a predicate may watch one that was there before. Entries whose time has ended are
   * evicted first, as a read of them would do. In the partition's thread.
   *
   * @param changing an entry that Hazelcast is changing: its change is passed on next
   * @param isNew whether that entry was absent
   */
  boolean announceAll(MemberNode node, boolean isOwned, @Nullable Data changing, boolean isNew) {
    boolean isWatched = false;
    for (Data key : keys()) {
      if (isOwned && key.equals(changing)) {
        isWatched |= !isNew;
      } else if (isOwned && store.evictIfExpired(key, Clock.currentTimeMillis(), false)) {
        // It may have held when no member announced it.
        isWatched = true;
      } else {
        isWatched |= node.announce(keyOf(key), isOwned);
        if (isOwned) {
          awaitExpiry(key);
        }
      }
    }
    return isWatched;
  }

  private List<Data> keys() {
    List<Data> keys = new ArrayList<>();
    store.forEach((key, record) -> keys.add(key), true, true);
    return keys;
  }

  /** A backup keeps an entry after its time has ended, so only the owner's look counts. */
  private void awaitExpiry(Data key) {
    if (store.isExpirable() && member.owns(partition)) {
      long endsAt = store.getExpirySystem().getExpiryMetadata(key).getExpirationTime();
      if (endsAt < Long.MAX_VALUE) {
        member.expireAt(endsAt, this, key);
      }
    }
  }

  /** Evicts an entry whose time has ended, as a read of it would do. In the partition's thread. */
  void expire(Data key) {
    if (isDestroyed || !member.owns(partition)) {
      return;
    }
    if (!store.evictIfExpired(key, Clock.currentTimeMillis(), false)
        && store.getRecord(key) != null) {
      // It was read or written since, or is locked.
      awaitExpiry(key);
    }
  }

  private StoreKey keyOf(Data key) {
    return EntryKeys.of(map, text.key(key));
  }

  private @Nullable EntryValue stored(Data key, @Nullable Object value) {
    return value == null
        ? null
        : new EntryValue(
            text.value(value),
            new EntryForm(EntryText.header(key), EntryText.type(value), endsAtMillis(key)));
  }

  private long endsAtMillis(Data key) {
    if (!store.isExpirable()) {
      return EntryForm.NEVER;
    }
    ExpiryMetadata expiry = store.getExpirySystem().getExpiryMetadata(key);
    return expiry.getTtl() == Long.MAX_VALUE
        ? EntryForm.NEVER
        : expiry.getLastUpdateTime() + expiry.getTtl();
  }
}
