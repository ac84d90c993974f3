package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.Cursor;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.MergedRuns;
import io.palinode.retroscope.snapshot.file.Room;
import io.palinode.retroscope.snapshot.file.Run;
import io.palinode.retroscope.snapshot.file.RunReader;
import io.palinode.retroscope.snapshot.file.RunWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries that come in any order and go out in order, once, or while more come. It keeps so many
 * bytes in memory; what is more is written into runs, which are removed by {@link #close}. Runs
 * that follow each other are merged, {@value #MERGED} of one rank into one of the next: so of N
 * there are log N, and a byte is written log N times. For one thread. What fails on the disk is an
 * {@link UncheckedIOException}.
 */
final class Spill implements AutoCloseable, Overlay.Sink {
  private static final int MERGED = 8;
  private static final int WORKED_ENTRIES = 1_000;

  private final Runs runs;
  private final long heapBytesMax;
  private final List<NavigableMap<byte[], Entry>> byKey = new ArrayList<>();

  /** As they came: to sort many at once is cheaper than to give each its place when it comes. */
  private final List<List<Entry>> arrived = new ArrayList<>();

  /** The older first, and of no lower rank than the younger. */
  private final List<Ranked> written = new ArrayList<>();

  private long heapBytes;

  /** Up to here, entries are of no interest any more, and are not merged. */
  private int forgottenStore;

  private byte @Nullable [] forgotten;

  /** Gives each run another name. */
  @FunctionalInterface
  interface Names {
    String next();
  }

  /**
   * Where they are, how they are called, and what they leave of the disk.
   *
   * @param worked called after each thousand merged entries
   */
  record Runs(Path folder, Names names, Room room, Runnable worked) {}

  /** A run, and how often its entries have been merged. */
  private static final class Ranked {
    final RunReader reader;
    final int rank;
    private @Nullable Cursor cursor;
    private int storeOfCursor;

    Ranked(RunReader reader, int rank) {
      this.reader = reader;
      this.rank = rank;
    }

    Cursor.Pages pages(int store) {
      return (after, max) -> reader.page(store, after, max);
    }

    /**
     * Goes through a store behind a key. While the store is the same, it is the same cursor: its
     * reader has read up to that key by then.
     */
    Cursor cursor(int store, byte @Nullable [] after) {
      Cursor same = cursor;
      if (same == null || storeOfCursor != store) {
        same = new Cursor(pages(store), after);
        cursor = same;
        storeOfCursor = store;
      }
      return same;
    }
  }

  Spill(int stores, Runs runs, long heapBytesMax) {
    this.runs = runs;
    this.heapBytesMax = heapBytesMax;
    for (int i = 0; i < stores; i++) {
      byKey.add(new TreeMap<>(Overlay.UNSIGNED));
      arrived.add(new ArrayList<>());
    }
  }

  /** Of a key that comes twice, the first counts. */
  @Override
  public void add(int store, Entry entry) {
    if (!isForgotten(store, entry.key())) {
      arrived.get(store).add(entry);
      heapBytes += entry.heapBytes();
      if (heapBytes > heapBytesMax) {
        write();
      }
    }
  }

  private boolean isForgotten(int store, byte[] key) {
    return store < forgottenStore
        || (store == forgottenStore
            && forgotten != null
            && Arrays.compareUnsigned(key, forgotten) <= 0);
  }

  private void write() {
    try (RunWriter run = writer()) {
      for (int store = 0; store < byKey.size(); store++) {
        for (Entry entry : sorted(store).values()) {
          run.add(store, entry);
        }
        byKey.get(store).clear();
      }
      heapBytes = 0;
      written.add(new Ranked(RunReader.open(runs.folder(), run.finishForNow()), 0));
      while (isToBeMerged()) {
        merge();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private NavigableMap<byte[], Entry> sorted(int store) {
    NavigableMap<byte[], Entry> all = byKey.get(store);
    List<Entry> some = arrived.get(store);
    // Stable: of a key that comes twice, the first stays the first.
    some.sort((a, b) -> Arrays.compareUnsigned(a.key(), b.key()));
    for (Entry entry : some) {
      if (all.putIfAbsent(entry.key(), entry) != null) {
        heapBytes -= entry.heapBytes();
      }
    }
    some.clear();
    return all;
  }

  private boolean isToBeMerged() {
    int last = written.size() - 1;
    int first = written.size() - MERGED;
    return first >= 0 && written.get(first).rank == written.get(last).rank;
  }

  private void merge() throws IOException {
    List<Ranked> some = written.subList(written.size() - MERGED, written.size());
    int rank = some.get(0).rank + 1;
    Run merged;
    try (RunWriter run = writer()) {
      for (int store = forgottenStore; store < byKey.size(); store++) {
        byte[] after = store == forgottenStore ? forgotten : null;
        MergedRuns all = new MergedRuns(pages(some, store), after);
        int entriesOfStore = 0;
        for (Entry entry = all.next(); entry != null; entry = all.next()) {
          run.add(store, entry);
          if (++entriesOfStore % WORKED_ENTRIES == 0) {
            runs.worked().run();
          }
        }
      }
      merged = run.finishForNow();
    }
    for (Ranked one : some) {
      remove(one.reader);
    }
    some.clear();
    written.add(new Ranked(RunReader.open(runs.folder(), merged), rank));
  }

  private RunWriter writer() throws IOException {
    return new RunWriter(runs.folder().resolve(runs.names().next()), runs.room());
  }

  private void remove(RunReader reader) throws IOException {
    reader.close();
    Files.deleteIfExists(runs.folder().resolve(reader.name()));
  }

  /** What it holds in memory. */
  long heapBytes() {
    return heapBytes;
  }

  /** What there is of a store, in order. Nothing is added meanwhile. */
  MergedRuns merged(int store) {
    return new MergedRuns(pages(store), null);
  }

  /**
   * A page with what there is of a store laid over it, behind a key. The entries are to be read up
   * to the page's last or to an earlier key, and {@link #forgetUpTo} is to be called with that,
   * before an entry is added and before this method is called again.
   */
  MergedRuns over(List<Entry> page, int store, byte @Nullable [] after) {
    List<Cursor> cursors = new ArrayList<>();
    cursors.add(new Cursor(page));
    byte[] last = page.isEmpty() ? null : page.get(page.size() - 1).key();
    cursors.add(new Cursor(List.copyOf(between(store, after, last).values())));
    for (int i = written.size() - 1; i >= 0; i--) {
      cursors.add(written.get(i).cursor(store, after));
    }
    return new MergedRuns(cursors);
  }

  /**
   * Entries up to there are of no interest any more, also of the stores before.
   *
   * @param key null: the whole store
   */
  void forgetUpTo(int store, byte @Nullable [] key) {
    forgottenStore = key == null ? store + 1 : store;
    forgotten = key;
    Map<byte[], Entry> passed = between(store, null, key);
    passed.values().forEach(entry -> heapBytes -= entry.heapBytes());
    passed.clear();
  }

  /** Those that count less come first. */
  List<Cursor.Pages> pages(int store) {
    List<Cursor.Pages> pages = new ArrayList<>();
    pages.add((after, max) -> inMemory(store, after, max));
    pages.addAll(pages(written, store));
    return pages;
  }

  private static List<Cursor.Pages> pages(List<Ranked> some, int store) {
    List<Cursor.Pages> pages = new ArrayList<>();
    for (int i = some.size() - 1; i >= 0; i--) {
      pages.add(some.get(i).pages(store));
    }
    return pages;
  }

  private List<Entry> inMemory(int store, byte @Nullable [] after, int bytesMax) {
    List<Entry> page = new ArrayList<>();
    long bytes = 0;
    for (Entry entry : between(store, after, null).values()) {
      page.add(entry);
      bytes += entry.heapBytes();
      if (bytes >= bytesMax) {
        break;
      }
    }
    return page;
  }

  /** What is in memory behind a key up to another; null: from the first, or up to the last. */
  private NavigableMap<byte[], Entry> between(
      int store, byte @Nullable [] after, byte @Nullable [] last) {
    NavigableMap<byte[], Entry> all = sorted(store);
    NavigableMap<byte[], Entry> behind = after == null ? all : all.tailMap(after, false);
    return last == null ? behind : behind.headMap(last, true);
  }

  @Override
  public void close() {
    try {
      for (Ranked one : written) {
        remove(one.reader);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    written.clear();
  }
}
