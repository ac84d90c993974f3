package io.palinode.voldemort;

import io.palinode.voldemort.Deletes.Delete;
import io.palinode.voldemort.StorageEngine.FoundVisitor;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one store that changed near a cut or after it: what each has, what it had on the cut,
 * and how it came to that. Found before anything is changed, by going through the window-log once
 * and reading each key once. Nobody writes meanwhile.
 */
final class ChangedKeys {
  private final LocalStore store;
  private final Near near;
  private final List<Changed> inOrder;
  private final long changesAfter;

  /**
   * Which changes count.
   *
   * @param since only those after it
   * @param from how a key came about is told from then on; not before {@code since}
   * @param cuts what is after a key's own may be undone
   */
  record Near(long since, long from, Cuts cuts) {}

  /** What is known of a key. */
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

    /** The record that it has; null when it is absent. */
    byte @Nullable [] now() {
      return now;
    }

    /** The record that it had on the cut. */
    byte @Nullable [] onTheCut() {
      return isAfter ? then : now;
    }

    private KeyPast.Builder past(long from) {
      KeyPast.Builder begun = past;
      if (begun == null) {
        begun = new KeyPast.Builder(from);
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
   * Throws {@link io.palinode.retroscope.OutOfReachException}, and {@link
   * io.palinode.detector.RestoreRefusedException} when {@code tally} does. O(changes after {@code
   * near.since()}).
   *
   * @param others to be looked at too
   * @param tally counts what is held
   */
  static ChangedKeys of(
      LocalStore store,
      StorageEngine engine,
      Near near,
      Set<KeyBytes> others,
      RestoreLimit.Tally tally) {
    return of(store, engine, near, others, key -> true, tally);
  }

  /**
   * Like the other.
   *
   * @param wanted of the keys that changed, only these count
   */
  static ChangedKeys of(
      LocalStore store,
      StorageEngine engine,
      Near near,
      Set<KeyBytes> others,
      Predicate<byte[]> wanted,
      RestoreLimit.Tally tally) {
    Search search = new Search(store.name(), near, wanted, tally);
    store.past().forEachBetween(near.since(), Long.MAX_VALUE, search::changed);
    others.forEach(search::of);
    // As the engine has them: neighbours are read, and later written, together.
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

  /** What is found while the window-log is gone through. */
  private static final class Search {
    private final String store;
    private final Near near;
    private final Predicate<byte[]> wanted;
    private final RestoreLimit.Tally tally;
    private final Map<KeyBytes, Changed> byKey = new HashMap<>();
    private long changesAfter;

    Search(String store, Near near, Predicate<byte[]> wanted, RestoreLimit.Tally tally) {
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
      if (hlc > near.cuts().of(store, key)) {
        changesAfter++;
        if (!changed.isAfter) {
          changed.isAfter = true;
          changed.then = old;
          tally.addBytes(old == null ? 0 : old.length);
        }
      } else if (hlc > near.from()) {
        KeyPast.Builder past = changed.past(near.from());
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

  /** Each once. */
  List<Changed> all() {
    return inOrder;
  }

  /** How many changes there were after the cut. */
  long changesAfter() {
    return changesAfter;
  }

  /** How a key came to what it was on the cut; null when it did not change before it. */
  byte @Nullable [] past(Changed changed, List<Delete> deletes) {
    if (changed.past == null && deletes.isEmpty()) {
      return null;
    }
    return changed.past(near.from()).encode(changed.onTheCut(), deletes);
  }
}
