package io.palinode.store.past;

import io.palinode.retroscope.Diff;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.StorageEngine;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts what an undo would change, while writes go on. For one thread, once. */
final class UndoCount {
  /** Further clients are counted, not named. */
  private static final int CLIENTS_MAX = 100;

  private final int node;
  private final StorageEngine engine;
  private final Writers writers;
  private final List<HlcSpan> except;
  private long writes;
  private long firstWrites;
  private long keys;
  private long firstKeys;
  private long bytes;

  /**
   * @param except spans whose changes are not writes of clients
   */
  UndoCount(int node, StorageEngine engine, Writers writers, List<HlcSpan> except) {
    this.node = node;
    this.engine = engine;
    this.writers = writers;
    this.except = except;
  }

  /** O(changes since {@code target}), each key read once. */
  UndoEffect of(Collection<LocalStore> stores, long target) {
    for (LocalStore store : stores) {
      countWrites(store, target);
      countKeys(store, target);
    }
    List<String> clients = writers.since(target);
    return new UndoEffect(
        writes,
        keys,
        bytes,
        firstWrites,
        firstKeys,
        clients.subList(0, Math.min(CLIENTS_MAX, clients.size())),
        clients.size(),
        writers.knownSince());
  }

  /** Counts the undo of some keys, each to its own cut; the others stand. Names no clients. */
  UndoEffect ofSome(Collection<LocalStore> stores, Cuts cuts) {
    stores.forEach(store -> countSome(store, cuts));
    return new UndoEffect(writes, keys, bytes, firstWrites, firstKeys, List.of(), 0, 0);
  }

  private void countSome(LocalStore store, Cuts cuts) {
    Map<KeyBytes, Oldest> before = new HashMap<>();
    store
        .past()
        .forEachBetween(
            cuts.least(),
            Long.MAX_VALUE,
            (hlc, key, old) -> {
              if (hlc > cuts.of(store.name(), key)) {
                count(store, hlc, key, old);
                before.merge(new KeyBytes(key), new Oldest(hlc, old), Oldest::older);
              }
            });
    before.forEach((key, then) -> countKey(store, key.bytes(), then.value()));
  }

  /** The record of a key before its earliest change. */
  private record Oldest(long hlc, byte @Nullable [] value) {
    Oldest older(Oldest other) {
      return other.hlc < hlc ? other : this;
    }
  }

  private void countWrites(LocalStore store, long target) {
    store
        .past()
        .forEachBetween(target, Long.MAX_VALUE, (hlc, key, old) -> count(store, hlc, key, old));
  }

  private void count(LocalStore store, long hlc, byte[] key, byte @Nullable [] old) {
    if (except.stream().noneMatch(span -> span.contains(hlc))) {
      writes++;
      firstWrites += isFirst(store, key) ? 1 : 0;
      bytes += key.length + (old == null ? 0 : old.length);
    }
  }

  private void countKeys(LocalStore store, long target) {
    try (Diff diff = store.past().diffTo(target)) {
      diff.forEach((key, then) -> countKey(store, key, then));
    }
  }

  private void countKey(LocalStore store, byte[] key, byte @Nullable [] then) {
    if (!Arrays.equals(then, engine.get(store.name(), key))) {
      keys++;
      firstKeys += isFirst(store, key) ? 1 : 0;
    }
  }

  private boolean isFirst(LocalStore store, byte[] key) {
    return store.replicas(key).get(0) == node;
  }
}
