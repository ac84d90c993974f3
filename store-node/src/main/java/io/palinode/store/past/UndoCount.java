package io.palinode.store.past;

import io.palinode.retroscope.Diff;
import io.palinode.store.binding.HlcSpan;
import io.palinode.store.binding.UndoEffect;
import io.palinode.store.binding.UndoEffect.Count;
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

  private final StorageEngine engine;
  private final Writers writers;
  private final List<HlcSpan> except;
  private long writes;
  private long keys;
  private long bytes;
  private final Map<List<Integer>, Count> ofReplicas = new HashMap<>();

  /**
   * @param except spans whose changes are not writes of clients
   */
  UndoCount(StorageEngine engine, Writers writers, List<HlcSpan> except) {
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
        ofReplicas,
        clients.subList(0, Math.min(CLIENTS_MAX, clients.size())),
        clients.size(),
        writers.knownSince());
  }

  /** Counts the undo of some keys, each to its own cut; the others stand. Names no clients. */
  UndoEffect ofSome(Collection<LocalStore> stores, Cuts cuts) {
    stores.forEach(store -> countSome(store, cuts));
    return new UndoEffect(writes, keys, bytes, ofReplicas, List.of(), 0, 0);
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
      add(store, key, 1, 0);
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
      add(store, key, 0, 1);
    }
  }

  private void add(LocalStore store, byte[] key, long moreWrites, long moreKeys) {
    ofReplicas.compute(
        store.replicas(key),
        (replicas, known) ->
            known == null ? new Count(moreWrites, moreKeys) : known.plus(moreWrites, moreKeys));
  }
}
