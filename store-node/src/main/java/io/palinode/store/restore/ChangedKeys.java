package io.palinode.store.restore;

import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.KeyOrder;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.FoundVisitor;
import io.palinode.store.past.Cuts;
import io.palinode.store.past.Deletes.Delete;
import io.palinode.store.past.LocalStore;
import io.palinode.store.past.RecordRules;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one store that changed near or after a cut: their records now and on the cut, and
 * their past. Found in one pass over the window-log and one read per key. No thread may write
 * meanwhile.
 */
final class ChangedKeys {
  private final LocalStore store;
  private final Near near;
  private final List<Changed> inOrder;
  private final long changesAfter;

  /**
   * Which changes count.
   *
   * @param since changes after it count
   * @param from where the pasts of keys begin; not before {@code since}
   * @param cuts changes after a key's own cut may be undone
   */
  record Near(long since, long from, Cuts cuts) {}

  /** One key. */
  static final class Changed {
    private final KeyBytes key;
    private KeyPast.@Nullable Builder past;
    private boolean isAfter;
    private byte @Nullable [] then;
    private byte @Nullable [] now;

    private Changed(KeyBytes key) {
      this.key = key;
    }

    KeyBytes key() {
      return key;
    }

    /** The record now; null if the key is absent. */
    byte @Nullable [] now() {
      return now;
    }

    /** The record on the cut. */
    byte @Nullable [] onTheCut() {
      return isAfter ? then : now;
    }

    private KeyPast.Builder past(RecordRules rules, long from) {
      KeyPast.Builder begun = past;
      if (begun == null) {
        begun = new KeyPast.Builder(rules, from);
        past = begun;
      }
      return begun;
    }
  }

  private ChangedKeys(LocalStore store, Near near, List<Changed> inOrder, long changesAfter) {
    this.store = store;
    this.near = near;
    this.inOrder = inOrder;
    this.changesAfter = changesAfter;
  }

  /**
   * Finds the changed keys. Throws {@link io.palinode.retroscope.OutOfReachException}, and {@link
   * io.palinode.store.binding.RestoreRefusedException} if {@code tally} does. O(changes after
   * {@code near.since()}).
   *
   * @param others keys to include in any case
   * @param tally counts the memory held
   */
  static ChangedKeys of(
      LocalStore store,
      StorageEngine engine,
      Near near,
      Set<KeyBytes> others,
      RestoreLimit.Tally tally) {
    return of(store, engine, near, others, key -> true, tally);
  }

  /** Like the other, of changed keys that {@code wanted} accepts. */
  static ChangedKeys of(
      LocalStore store,
      StorageEngine engine,
      Near near,
      Set<KeyBytes> others,
      Predicate<byte[]> wanted,
      RestoreLimit.Tally tally) {
    Search search = new Search(store, near, wanted, tally);
    store.past().forEachBetween(near.since(), Long.MAX_VALUE, search::changed);
    others.forEach(search::of);
    // In the engine's order: neighbours are read, and later written, together.
    List<Changed> inOrder = KeyOrder.sorted(search.byKey.values(), each -> each.key.bytes());
    engine.read(store.name(), keysOf(inOrder), recordsInto(inOrder, tally));
    return new ChangedKeys(store, near, inOrder, search.changesAfter);
  }

  private static Iterable<byte[]> keysOf(List<Changed> inOrder) {
    return () -> inOrder.stream().map(changed -> changed.key.bytes()).iterator();
  }

  private static FoundVisitor recordsInto(List<Changed> inOrder, RestoreLimit.Tally tally) {
    Iterator<Changed> next = inOrder.iterator();
    return (key, record) -> {
      tally.addBytes(record == null ? 0 : record.length);
      next.next().now = record;
    };
  }

  /** The state of the pass over the window-log. */
  private static final class Search {
    private final LocalStore store;
    private final Near near;
    private final Predicate<byte[]> wanted;
    private final RestoreLimit.Tally tally;
    private final Map<KeyBytes, Changed> byKey = new HashMap<>();
    private long changesAfter;

    Search(LocalStore store, Near near, Predicate<byte[]> wanted, RestoreLimit.Tally tally) {
      this.store = store;
      this.near = near;
      this.wanted = wanted;
      this.tally = tally;
    }

    void changed(long hlc, byte[] key, byte @Nullable [] old) {
      if (!wanted.test(key)) {
        return;
      }
      Changed changed = of(new KeyBytes(key));
      if (hlc > near.cuts().of(store.name(), key)) {
        changesAfter++;
        if (!changed.isAfter) {
          changed.isAfter = true;
          changed.then = old;
          tally.addBytes(old == null ? 0 : old.length);
        }
      } else if (hlc > near.from()) {
        KeyPast.Builder past = changed.past(store.rules(), near.from());
        int before = past.bytes();
        past.changed(hlc, old);
        tally.addBytes(past.bytes() - before);
      }
    }

    Changed of(KeyBytes key) {
      return byKey.computeIfAbsent(key, this::begun);
    }

    private Changed begun(KeyBytes key) {
      tally.addKey(key.bytes().length);
      return new Changed(key);
    }
  }

  LocalStore store() {
    return store;
  }

  /** Each key once. */
  List<Changed> all() {
    return inOrder;
  }

  /** The number of changes after the cut. */
  long changesAfter() {
    return changesAfter;
  }

  /** The past of a key up to the cut; null if it did not change before it. */
  byte @Nullable [] past(Changed changed, List<Delete> deletes) {
    if (changed.past == null && deletes.isEmpty()) {
      return null;
    }
    return changed.past(store.rules(), near.from()).encode(changed.onTheCut(), deletes);
  }
}
