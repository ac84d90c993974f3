package io.palinode.retroscope.snapshot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One node's part while it is taken.
 *
 * <p>Of all keys: the stores are read page by page while they are served, into one run. A key that
 * has changed since the snapshot's time may stand there with a later record, or not at all; what it
 * had at that time is collected from the window-log and laid over, as further runs. The earlier a
 * change was collected the more it counts, so its run stands later. (Charapko et al., ICDCS 2017,
 * §III.)
 *
 * <p>Over a base: only the keys that changed between its time and the new one. For one thread.
 */
final class Taking {
  private static final int PAGE_BYTES = 1 << 20;
  private static final long OVERLAY_BYTES_MAX = 32L << 20;

  private static final int PROGRESS_ENTRIES = 10_000;

  /** More runs are merged when a snapshot rolls. */
  static final int RUNS_MAX = 8;

  private final int node;
  private final History history;
  private final SnapshotFolder folder;
  private final Order order;
  private final Watch watch;
  private final List<Run> written = new ArrayList<>();
  private @Nullable Part base;
  private long changed;
  private long bytes;
  private int runsBegun;

  Taking(int node, History history, SnapshotFolder folder, Order order, Watch watch) {
    this.node = node;
    this.history = history;
    this.folder = folder;
    this.order = order;
    this.watch = watch;
  }

  Taking from(Part someBase) {
    if (!someBase.stores().equals(history.stores())) {
      throw new SnapshotException(
          "the stores have changed since snapshot %s was taken: take one without a base"
              .formatted(someBase.id().id()));
    }
    base = someBase;
    return this;
  }

  /** The part, of which all runs are on the disk. */
  Part make() throws IOException {
    Part over = base;
    if (over == null) {
      return ofAllKeys();
    }
    long keys = over.keys() + writeChanges(over.hlc());
    if (order.kind() == Kind.INCREMENTAL) {
      return part(order.kind(), over.id(), keys, written);
    }
    return part(over.kind(), over.base(), keys, rolled(over));
  }

  private Part part(Kind kind, Ref over, long keys, List<Run> runs) {
    return new Part(
        order.id(), order.hlc(), kind, node, over, history.stores(), keys, changed, runs);
  }

  // ---- of all keys

  private Part ofAllKeys() throws IOException {
    Overlay overlay = new Overlay(history, order.hlc());
    // At once: from here on the window-log need only reach back to the last page.
    overlay.extend();
    List<Run> overlays = new ArrayList<>();
    try (RunWriter run = writer()) {
      for (int store = 0; store < history.stores().size(); store++) {
        writeStore(store, run, overlay, overlays);
      }
      overlay.extend();
      written.add(0, run.finish());
    }
    writeOverlay(overlay, overlays);
    written.addAll(overlays);
    Part counted = part(order.kind(), Ref.NONE, 0, written);
    try (OpenSnapshot all = OpenSnapshot.open(folder, counted)) {
      // Also reads back what was written.
      changed = all.count(keys -> watch.passed(keys, bytes));
    }
    return part(order.kind(), Ref.NONE, changed, written);
  }

  private void writeStore(int store, RunWriter run, Overlay overlay, List<Run> overlays)
      throws IOException {
    String name = history.stores().get(store);
    byte[] after = null;
    for (List<Entry> page = history.page(name, after, PAGE_BYTES);
        !page.isEmpty();
        page = history.page(name, after, PAGE_BYTES)) {
      for (Entry entry : page) {
        run.add(store, entry);
        after = entry.key();
      }
      overlay.extend();
      if (overlay.bytes() > OVERLAY_BYTES_MAX) {
        writeOverlay(overlay, overlays);
      }
      watch.passed(run.entries(), bytes + run.bytes());
    }
  }

  private void writeOverlay(Overlay overlay, List<Run> overlays) throws IOException {
    if (overlay.isEmpty()) {
      return;
    }
    try (RunWriter run = writer()) {
      for (int store = 0; store < history.stores().size(); store++) {
        for (Entry entry : overlay.entries(store)) {
          run.add(store, entry);
        }
      }
      overlays.add(0, finished(run));
    }
    overlay.clear();
  }

  // ---- over a base

  /** Writes a run of what differs from the base; how many more keys there are. */
  private long writeChanges(long from) throws IOException {
    boolean isForward = order.hlc() >= from;
    long growth = 0;
    try (RunWriter run = writer()) {
      Map<String, Change> changes =
          Change.ofAll(history, Math.min(from, order.hlc()), Math.max(from, order.hlc()));
      for (int store = 0; store < history.stores().size(); store++) {
        Change change = changes.get(history.stores().get(store));
        for (Entry entry : change == null ? List.<Entry>of() : change.entries(isForward)) {
          run.add(store, entry);
        }
        growth += change == null ? 0 : isForward ? change.growth() : -change.growth();
        watch.passed(run.entries(), run.bytes());
      }
      changed = run.entries();
      written.add(finished(run));
    }
    return growth;
  }

  /**
   * The runs of the base with the new one, a few of them merged when there are many: what is laid
   * over the first run into one, and that into the first when it has grown as long. So a key is
   * written a few times for each time that it changes, however long a snapshot rolls.
   */
  private List<Run> rolled(Part over) throws IOException {
    List<Run> runs = new ArrayList<>(over.runs());
    runs.addAll(written);
    if (runs.size() <= RUNS_MAX) {
      return runs;
    }
    long laidOver = runs.stream().skip(1).mapToLong(Run::entries).sum();
    int from = laidOver >= runs.get(0).entries() ? 0 : 1;
    Run merged = merge(over, runs.subList(from, runs.size()), from == 0 && over.base().isNone());
    List<Run> left = new ArrayList<>(runs.subList(0, from));
    left.add(merged);
    return left;
  }

  private Run merge(Part over, List<Run> runs, boolean presentOnly) throws IOException {
    List<RunReader> readers = new ArrayList<>();
    try (RunWriter run = writer()) {
      for (Run one : runs) {
        readers.add(RunReader.open(folder.of(over.id().id()), one));
      }
      for (int store = 0; store < over.stores().size(); store++) {
        MergedRuns all = new MergedRuns(readers, store, null);
        for (Entry entry = all.next(); entry != null; entry = all.next()) {
          if (!presentOnly || entry.record() != null) {
            run.add(store, entry);
          }
          if (run.entries() % PROGRESS_ENTRIES == 0) {
            watch.passed(run.entries(), bytes + run.bytes());
          }
        }
      }
      return finished(run);
    } finally {
      readers.forEach(RunReader::close);
    }
  }

  // ---- files

  private RunWriter writer() throws IOException {
    String name = SnapshotFolder.runName(order.id().number(), runsBegun++);
    return new RunWriter(folder.of(order.id().id()).resolve(name));
  }

  private Run finished(RunWriter writer) throws IOException {
    Run run = writer.finish();
    bytes += run.bytes();
    return run;
  }
}
