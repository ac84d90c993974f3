package io.palinode.retroscope.snapshot.file;

import io.palinode.retroscope.snapshot.History;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node has of a snapshot, laid over its base where it has one. Whatever is read has passed
 * its checksum; {@link SnapshotException} when it does not. For one thread at a time.
 */
public final class OpenSnapshot implements AutoCloseable {
  /** A longer chain of bases takes too many files at once. */
  static final int BASES_MAX = 16;

  private final Part part;
  private final List<RunReader> runs = new ArrayList<>();

  private OpenSnapshot(Part part) {
    this.part = part;
  }

  public static OpenSnapshot open(SnapshotFolder folder, Part part) {
    OpenSnapshot opened = new OpenSnapshot(part);
    try {
      opened.add(folder, part, 0);
      return opened;
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  private void add(SnapshotFolder folder, Part some, int depth) {
    if (!some.base().isNone()) {
      if (depth == BASES_MAX) {
        throw new SnapshotException(
            "snapshot %s has more than %d bases under it: take one without a base"
                .formatted(part.id().id(), BASES_MAX));
      }
      byte[] bytes = folder.partBytes(some.base());
      if (bytes == null) {
        throw new SnapshotException(
            "the base %s of snapshot %s is not here".formatted(some.base().id(), some.id().id()));
      }
      add(folder, SnapshotFolder.part(some.base(), bytes), depth + 1);
    }
    for (Run run : some.runs()) {
      runs.add(RunReader.open(folder.of(some.id().id()), run));
    }
  }

  public Part part() {
    return part;
  }

  public List<String> stores() {
    return part.stores();
  }

  /** The time at which the stores were like this. */
  public long hlc() {
    return part.hlc();
  }

  /** The record of a key; null when it was absent. */
  public byte @Nullable [] get(String store, byte[] key) {
    int of = indexOf(store);
    for (int i = runs.size() - 1; i >= 0; i--) {
      Entry entry = runs.get(i).find(of, key);
      if (entry != null) {
        return entry.record();
      }
    }
    return null;
  }

  /** As {@link History#page}. */
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    MergedRuns all = new MergedRuns(runs, indexOf(store), after);
    List<Entry> page = new ArrayList<>();
    long bytes = 0;
    Entry entry = all.nextPresent();
    while (entry != null) {
      page.add(entry);
      bytes += entry.bytes();
      entry = bytes < bytesMax ? all.nextPresent() : null;
    }
    return page;
  }

  private int indexOf(String store) {
    int index = part.stores().indexOf(store);
    if (index < 0) {
      throw new SnapshotException(
          "snapshot %s has no store '%s', only %s".formatted(part.id().id(), store, part.stores()));
    }
    return index;
  }

  /** Reads every block, also what a later run covers. */
  public void verify() {
    runs.forEach(RunReader::verify);
    long keys = count();
    if (keys != part.keys()) {
      throw new SnapshotException(
          "snapshot %s has %d keys of %d".formatted(part.id().id(), keys, part.keys()));
    }
  }

  private long count() {
    long keys = 0;
    for (int store = 0; store < part.stores().size(); store++) {
      MergedRuns all = new MergedRuns(runs, store, null);
      while (all.nextPresent() != null) {
        keys++;
      }
    }
    return keys;
  }

  @Override
  public void close() {
    runs.forEach(RunReader::close);
  }
}
