package io.palinode.hazelcast.node;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hazelcast.node.RestoredEntries.Restored;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryName;
import io.palinode.hazelcast.record.EntryRules;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.store.binding.RestoreRefusedException;
import io.palinode.store.binding.RestoreRefusedException.Reason;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.store.binding.UndoLog.Restoration;
import io.palinode.store.node.NodeParts;
import io.palinode.store.past.LocalStore;
import io.palinode.store.restore.RestoreLimit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Notes what a plan restores, and writes it into the maps of a member. {@link #restore} and {@link
 * #epoch} are for the holder of the write lock.
 */
final class MemberRestore {
  private final NodeParts parts;
  private final LocalStore store;
  private final Maps maps;
  private final BooleanSupplier off;
  private final IntPredicate owned;
  private final RestoredEntries restored;
  private final int node;
  private @Nullable Done done;

  private record Done(long epoch, int attempt, Restoration restoration) {}

  MemberRestore(
      NodeParts parts,
      LocalStore store,
      Maps maps,
      BooleanSupplier off,
      IntPredicate owned,
      RestoredEntries restored) {
    this.parts = parts;
    this.store = store;
    this.maps = maps;
    this.off = off;
    this.owned = owned;
    this.restored = restored;
    this.node = parts.spec().node();
  }

  /** The epoch of the last restore; 0 if there was none. */
  long epoch() {
    return done == null ? 0 : done.epoch();
  }

  /** See {@link io.palinode.store.binding.UndoLog#restore(long, int, long)}. */
  Restoration restore(long epoch, int attempt, long target, long reach) {
    Done last = done;
    if (last != null && last.epoch() == epoch && last.attempt() == attempt) {
      return last.restoration();
    }
    keep();
    Restoration restoration = undo(epoch, target, reach);
    done = new Done(epoch, attempt, restoration);
    return restoration;
  }

  /** Restores nothing: forgets what an earlier attempt noted. */
  void keep() {
    restored.removeIf(any -> true);
  }

  private Restoration undo(long epoch, long target, long reach) {
    if (off.getAsBoolean()) {
      throw new RestoreRefusedException(
          Reason.NOT_WATCHING,
          "node %d misses changes; run 'palinode rollback abandon'".formatted(node));
    }
    if (target < reach && ownsNone()) {
      // It started after the target. No partition moves to it.
      return new Restoration(0, List.of());
    }
    if (target < reach) {
      throw new OutOfReachException(target, reach, parts.clock().last().own());
    }
    RestoreLimit.Tally tally = parts.spec().settings().restores().tally();
    Map<StoreKey, byte @Nullable []> then = new LinkedHashMap<>();
    long[] changes = {0};
    store
        .past()
        .forEachBetween(
            target,
            Long.MAX_VALUE,
            (hlc, bytes, old) -> {
              changes[0]++;
              StoreKey key = new StoreKey(EntryKeys.STORE, bytes);
              if (!then.containsKey(key)) {
                tally.addKey(bytes.length);
                tally.addBytes(old == null ? 0 : old.length);
                then.put(key, old);
              }
            });
    List<StoreKey> changed = new ArrayList<>();
    then.forEach(
        (key, old) -> {
          if (note(epoch, key, old)) {
            changed.add(key);
          }
        });
    // No other node publishes these keys.
    Replica only = new Replica(1, List.of(node));
    return new Restoration(
        changes[0], changed, changed.stream().collect(Collectors.toMap(key -> key, key -> only)));
  }

  /** Returns whether the member owns the key. */
  private boolean note(long epoch, StoreKey key, byte @Nullable [] then) {
    byte[] now = parts.stores().record(key);
    byte[] any = then == null ? now : then;
    if (any == null) {
      // It came and went.
      return false;
    }
    EntryName name = EntryRules.nameOf(any);
    int partition = name.partition();
    if (!EntryRules.isSame(then, now)) {
      long header = name.form().keyHeader();
      restored.put(key, new Restored(epoch, maps.owner(partition), partition, header, then));
    }
    return owned.test(partition);
  }

  private boolean ownsNone() {
    for (int partition = 0; partition < maps.partitions(); partition++) {
      if (owned.test(partition) || maps.owner(partition) == node) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes the notes of the partitions that the member owns now. Returns the keys whose time has
   * ended since. Throws if one is not written; then its note stays.
   */
  List<StoreKey> write() {
    Map<StoreKey, Restored> due = new LinkedHashMap<>();
    restored.forEach(
        (key, planned) -> {
          if (maps.owner(planned.partition()) == node) {
            due.put(key, planned);
          }
        });
    if (due.isEmpty()) {
      return List.of();
    }
    maps.write(due.entrySet().stream().map(each -> entry(each.getKey(), each.getValue())).toList());
    due.forEach(restored::remove);
    return due.entrySet().stream()
        .filter(each -> each.getValue().hasEnded())
        .map(Map.Entry::getKey)
        .toList();
  }

  private Maps.Entry entry(StoreKey key, Restored planned) {
    return new Maps.Entry(
        key,
        planned.partition(),
        planned.header(),
        planned.value(),
        () -> planned.equals(restored.find(key)));
  }

  /** See {@link io.palinode.store.binding.Serving#served}. */
  void served(int other, long epoch) {
    restored.removeIf(
        planned ->
            planned.epoch() <= epoch
                && (planned.owner() == other || maps.owner(planned.partition()) == other));
  }
}
