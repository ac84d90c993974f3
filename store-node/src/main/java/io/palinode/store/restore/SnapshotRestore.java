package io.palinode.store.restore;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.past.LocalStore;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the records of a node equal to its part of a snapshot. Reads both in key order and writes
 * the differences in batches, so it holds two pages and one batch. A repeat after a crash completes
 * it. No thread may write meanwhile. For one thread.
 */
final class SnapshotRestore {
  private static final int PAGE_BYTES = 1 << 20;
  private static final int BATCH_BYTES = 4 << 20;

  private final StorageEngine engine;
  private final OpenSnapshot part;
  private final Consumer<Repairs> commit;
  private Repairs batch;
  private long batchBytes;
  private long repaired;

  /**
   * @param commit writes one batch, and the replaced records into the window-log
   */
  SnapshotRestore(StorageEngine engine, OpenSnapshot part, Consumer<Repairs> commit) {
    this.engine = engine;
    this.part = part;
    this.commit = commit;
    this.batch = new Repairs(engine);
  }

  /** Restores a store. Returns the number of changed keys. O(keys of the store, then and now). */
  long of(LocalStore store) {
    repaired = 0;
    Pages then = new Pages((after, max) -> part.page(store.name(), after, max));
    Pages now = new Pages((after, max) -> engine.page(store.name(), after, max));
    Entry was = then.next();
    Entry is = now.next();
    while (was != null || is != null) {
      int order = was == null ? 1 : is == null ? -1 : Arrays.compareUnsigned(was.key(), is.key());
      repair(store, order <= 0 ? was : null, order >= 0 ? is : null);
      was = order <= 0 ? then.next() : was;
      is = order >= 0 ? now.next() : is;
    }
    commitBatch();
    return repaired;
  }

  /** One key's two records; null where it is absent. */
  private void repair(LocalStore store, @Nullable Entry was, @Nullable Entry is) {
    byte[] fresh = was == null ? null : was.record();
    byte[] old = is == null ? null : is.record();
    if (Arrays.equals(fresh, old)) {
      return;
    }
    byte[] key = was != null ? was.key() : is != null ? is.key() : new byte[0];
    batch.add(store, key, old, fresh);
    repaired++;
    batchBytes += key.length + length(old) + length(fresh) + RestoreLimit.KEY_BYTES;
    if (batchBytes >= BATCH_BYTES) {
      commitBatch();
    }
  }

  private void commitBatch() {
    commit.accept(batch);
    batch = new Repairs(engine);
    batchBytes = 0;
  }

  private static int length(byte @Nullable [] record) {
    return record == null ? 0 : record.length;
  }

  /** Reads entries after a key, in order. */
  @FunctionalInterface
  private interface Source {
    List<Entry> page(byte @Nullable [] after, int bytesMax);
  }

  /** Entries in order, read by page. Changes before the last read entry are not seen. */
  private static final class Pages {
    private final Source source;
    private List<Entry> page = List.of();
    private byte @Nullable [] last;
    private int next;
    private boolean isOver;

    Pages(Source source) {
      this.source = source;
    }

    /** Null after the last entry. */
    @Nullable Entry next() {
      if (next >= page.size() && !isOver) {
        page = source.page(last, PAGE_BYTES);
        next = 0;
        isOver = page.isEmpty();
      }
      if (isOver) {
        return null;
      }
      Entry entry = page.get(next++);
      last = entry.key();
      return entry;
    }
  }
}
