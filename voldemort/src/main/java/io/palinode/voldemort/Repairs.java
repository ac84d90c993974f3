package io.palinode.voldemort;

import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.retroscope.Diff;
import io.palinode.voldemort.StorageEngine.Change;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an undo or a merge will change, worked out before anything is changed. Reads the engine;
 * nobody writes meanwhile.
 */
final class Repairs {
  private final StorageEngine engine;
  private final List<Repair> repairs = new ArrayList<>();

  Repairs(StorageEngine engine) {
    this.engine = engine;
  }

  /** One key that gets another record than it has. */
  record Repair(LocalStore store, byte[] key, byte @Nullable [] old, byte @Nullable [] fresh) {
    Change toChange() {
      return new Change(store.name(), key, fresh);
    }
  }

  List<Repair> all() {
    return repairs;
  }

  /** Gives every key of {@code diff} the record that it had. */
  void undo(LocalStore store, Diff diff) {
    diff.forEach((key, then) -> add(store, key, engine.get(store.name(), key), then));
  }

  /**
   * Adds to each key the versions that are not obsolete. {@code records} may name a key more than
   * once.
   */
  void merge(LocalStore store, List<KeyRecord> records) {
    Map<KeyBytes, List<Versioned>> addedByKey = new LinkedHashMap<>();
    for (KeyRecord record : records) {
      addedByKey.merge(
          new KeyBytes(record.key().key()), Siblings.decode(record.siblings()), Siblings::merge);
    }
    addedByKey.forEach(
        (key, added) -> {
          byte[] old = engine.get(store.name(), key.bytes());
          List<Versioned> merged = Siblings.merge(LocalStore.versions(old), added);
          add(store, key.bytes(), old, LocalStore.record(merged));
        });
  }

  private void add(LocalStore store, byte[] key, byte @Nullable [] old, byte @Nullable [] fresh) {
    if (!Arrays.equals(old, fresh)) {
      repairs.add(new Repair(store, key, old, fresh));
    }
  }

  List<Change> changes() {
    return repairs.stream().map(Repair::toChange).toList();
  }
}
