package io.palinode.store.restore;

import io.palinode.detector.binding.Version;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.past.LocalStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changes of an undo or a merge, computed before any is made. Reads the engine; no thread may
 * write meanwhile.
 */
final class Repairs {
  private final StorageEngine engine;
  private final List<Repair> repairs = new ArrayList<>();

  Repairs(StorageEngine engine) {
    this.engine = engine;
  }

  /** A key that gets another record. */
  record Repair(LocalStore store, byte[] key, byte @Nullable [] old, byte @Nullable [] fresh) {
    Change toChange() {
      return new Change(store.name(), key, fresh);
    }
  }

  List<Repair> all() {
    return repairs;
  }

  /** Gives every key its record on the cut. */
  void undo(ChangedKeys changed) {
    changed
        .all()
        .forEach(key -> add(changed.store(), key.key().bytes(), key.now(), key.onTheCut()));
  }

  /**
   * Gives each key the merge of its contributions, at most one per node. Returns the latest time in
   * them; 0 if there is none.
   */
  long merge(LocalStore store, List<KeyRecord> records) {
    Map<KeyBytes, KeyCut> cuts = new LinkedHashMap<>();
    long latest = 0;
    for (KeyRecord record : records) {
      KeyCut cut =
          cuts.computeIfAbsent(new KeyBytes(record.key().key()), key -> new KeyCut(store.rules()));
      latest = Math.max(latest, cut.add(record));
    }
    cuts.forEach(
        (key, cut) -> {
          byte[] old = engine.get(store.name(), key.bytes());
          List<Version> own = store.versions(old);
          byte[] fresh = store.record(cut.versions(own));
          // A stock server returns other bytes than were set: compare what they mean.
          if (!Arrays.equals(store.record(own), fresh)) {
            add(store, key.bytes(), old, fresh);
          }
        });
    return latest;
  }

  void add(LocalStore store, byte[] key, byte @Nullable [] old, byte @Nullable [] fresh) {
    if (!Arrays.equals(old, fresh)) {
      repairs.add(new Repair(store, key, old, fresh));
    }
  }

  List<Change> changes() {
    return repairs.stream().map(Repair::toChange).toList();
  }
}
