package io.palinode.retroscope.snapshot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries that come in any order and go out in order. It keeps so many bytes in memory; what is
 * more is written into runs, which are removed by {@link #close}. For one thread. What fails on the
 * disk is an {@link UncheckedIOException}.
 */
final class Spill implements AutoCloseable, Overlay.Sink {
  private final Runs runs;
  private final long heapBytesMax;
  private final List<NavigableMap<byte[], Entry>> byKey = new ArrayList<>();
  private final List<RunReader> readers = new ArrayList<>();
  private long heapBytes;
  private long entries;

  /** Gives each run another name. */
  @FunctionalInterface
  interface Names {
    String next();
  }

  /** Where they are, how they are called, and what they leave of the disk. */
  record Runs(Path folder, Names names, Room room) {}

  Spill(int stores, Runs runs, long heapBytesMax) {
    this.runs = runs;
    this.heapBytesMax = heapBytesMax;
    for (int i = 0; i < stores; i++) {
      byKey.add(new TreeMap<>(Overlay.UNSIGNED));
    }
  }

  /** Of a key that comes twice, the first counts. */
  @Override
  public void add(int store, Entry entry) {
    if (byKey.get(store).putIfAbsent(entry.key(), entry) == null) {
      entries++;
      heapBytes += entry.heapBytes();
      if (heapBytes > heapBytesMax) {
        write();
      }
    }
  }

  private void write() {
    try (RunWriter run = new RunWriter(runs.folder().resolve(runs.names().next()), runs.room())) {
      for (int store = 0; store < byKey.size(); store++) {
        for (Entry entry : byKey.get(store).values()) {
          run.add(store, entry);
        }
        byKey.get(store).clear();
      }
      heapBytes = 0;
      readers.add(RunReader.open(runs.folder(), run.finishForNow()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isEmpty() {
    return entries == 0;
  }

  /** What it holds in memory. */
  long heapBytes() {
    return heapBytes;
  }

  /** What there is of a store, in order, behind a key. Nothing is added meanwhile. */
  MergedRuns merged(int store, byte @Nullable [] after) {
    return new MergedRuns(pages(store), after);
  }

  /** Those that count less come first. */
  List<Cursor.Pages> pages(int store) {
    List<Cursor.Pages> pages = new ArrayList<>();
    pages.add((after, max) -> inMemory(store, after, max));
    for (int i = readers.size() - 1; i >= 0; i--) {
      RunReader reader = readers.get(i);
      pages.add((after, max) -> reader.page(store, after, max));
    }
    return pages;
  }

  private List<Entry> inMemory(int store, byte @Nullable [] after, int bytesMax) {
    NavigableMap<byte[], Entry> some = byKey.get(store);
    List<Entry> page = new ArrayList<>();
    long bytes = 0;
    for (Entry entry : (after == null ? some : some.tailMap(after, false)).values()) {
      page.add(entry);
      bytes += entry.heapBytes();
      if (bytes >= bytesMax) {
        break;
      }
    }
    return page;
  }

  @Override
  public void close() {
    for (RunReader reader : readers) {
      reader.close();
      try {
        Files.deleteIfExists(runs.folder().resolve(reader.name()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    readers.clear();
  }
}
