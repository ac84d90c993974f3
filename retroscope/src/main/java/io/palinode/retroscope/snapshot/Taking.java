package io.palinode.retroscope.snapshot;

import io.palinode.retroscope.snapshot.file.Cursor;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.Kind;
import io.palinode.retroscope.snapshot.file.MergedRuns;
import io.palinode.retroscope.snapshot.file.Part;
import io.palinode.retroscope.snapshot.file.Ref;
import io.palinode.retroscope.snapshot.file.Run;
import io.palinode.retroscope.snapshot.file.RunReader;
import io.palinode.retroscope.snapshot.file.RunWriter;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.retroscope.snapshot.file.SnapshotFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One node's part while it is taken.
 *
 * <p>Of all keys: the stores are read page by page while they are served. A key that has changed
 * since the snapshot's time may stand in its page with a later record, or not at all. What it had
 * at that time is collected from the window-log and laid over the page. (Charapko et al., ICDCS
 * 2017, §III.) Pages of a store whose keys have no order are sorted first.
 *
 * <p>Over a base: only the keys that changed between its time and the new one.
 *
 * <p>It may {@link #hold} its past before its base is known, and continue {@link #withoutBase} if
 * its base is gone.
 *
 * <p>It holds a page, three spills at most, a fourth when it holds its past, and what a step
 * through the window-log needs: some 32 or 40 MiB, however much has changed. What does not fit lies
 * in runs beside those of the part, until it is done. For one thread.
 */
final class Taking implements AutoCloseable {
  /** A few milliseconds of work: clients wait no longer for a processor than that. */
  private static final int PAGE_BYTES = 128 << 10;

  private static final int PROGRESS_ENTRIES = 1_000;

  /** Whichever comes first. */
  private static final int KEYS_BETWEEN_EXTENSIONS = 10_000;

  private static final long NANOS_BETWEEN_EXTENSIONS = 1_000_000_000;

  /** More runs are merged when a snapshot rolls. */
  static final int RUNS_MAX = 8;

  private final int node;
  private final History history;
  private final SnapshotFolder folder;
  private final Order order;
  private final Watch watch;
  private final List<Run> written = new ArrayList<>();
  private final List<Run> linked = new ArrayList<>();
  private final long heapBytesMax;
  private final LongSupplier nanos;

  /** Files that were begun, except held ones. */
  private final List<String> begun = new ArrayList<>();

  private @Nullable Part base;
  private @Nullable Collected held;
  private long heldNanos;
  private long changed;
  private long bytes;
  private long keysWritten;
  private int runsBegun;

  /**
   * What it works with.
   *
   * @param heapBytesMax of each spill
   * @param nanos a clock that never goes back
   */
  record Means(History history, SnapshotFolder folder, long heapBytesMax, LongSupplier nanos) {}

  /** What the keys that have changed since a time had at that time. */
  private record Collected(Spill old, Overlay overlay) {}

  Taking(int node, Means means, Order order, Watch watch) {
    this.heapBytesMax = means.heapBytesMax();
    this.nanos = means.nanos();
    this.node = node;
    this.history = means.history();
    this.folder = means.folder();
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

  /**
   * All keys are as in {@code near}, except those that changed between the two times. Links the
   * runs of {@code near} at once, so {@code near} may be removed then.
   */
  Taking beginningWith(Part near) throws IOException {
    for (Run run : near.runs()) {
      Run here = new Run(nextRun(), run.entries(), run.bytes(), run.checksum());
      Path link = folder.of(order.id().id()).resolve(here.name());
      // A crash may have left one.
      Files.deleteIfExists(link);
      Files.createLink(link, folder.of(near.id().id()).resolve(run.name()));
      linked.add(here);
    }
    base = near;
    return this;
  }

  /**
   * Collects what the keys that have changed since its time had then: from here on the window-log
   * need only reach back to the last {@link #extend}. Idempotent. Throws {@link
   * io.palinode.retroscope.OutOfReachException}.
   */
  void hold() {
    heldUpToNow();
  }

  private Collected heldUpToNow() {
    Collected own = held;
    if (own == null) {
      Spill old = spill(this::runName);
      own = new Collected(old, overlay(order.hlc(), old));
      held = own;
    }
    own.overlay().extend();
    heldNanos = nanos.getAsLong();
    return own;
  }

  /** Collects what has changed since, when that is a second ago. */
  void extend() {
    if (held != null && nanos.getAsLong() - heldNanos >= NANOS_BETWEEN_EXTENSIONS) {
      hold();
    }
  }

  /**
   * Continues without a base, because that is gone or too old. Removes the files that it has linked
   * and written, and keeps what it holds.
   */
  void withoutBase() throws IOException {
    for (String name : begun) {
      Files.deleteIfExists(folder.of(order.id().id()).resolve(name));
    }
    begun.clear();
    linked.clear();
    written.clear();
    base = null;
    changed = 0;
    bytes = 0;
    keysWritten = 0;
  }

  /** Lets go of what it holds. */
  @Override
  public void close() {
    Collected own = held;
    held = null;
    if (own != null) {
      own.old().close();
    }
  }

  /** Bytes of the runs that it wrote. */
  long bytes() {
    return bytes;
  }

  /** The part, of which all runs are on the disk. */
  Part make() throws IOException {
    Part over = base;
    if (over == null) {
      return ofAllKeys();
    }
    if (!linked.isEmpty()) {
      long keys = over.keys() + writeChanges(over.hlc());
      return part(order.kind(), Ref.NONE, keys, mergedIfMany(linked, order.id().id(), true));
    }
    long keys = over.keys() + writeChanges(over.hlc());
    if (order.kind() == Kind.INCREMENTAL) {
      return part(order.kind(), over.id(), keys, written);
    }
    boolean isWhole = over.base().isNone();
    return part(over.kind(), over.base(), keys, mergedIfMany(over.runs(), over.id().id(), isWhole));
  }

  private Part part(Kind kind, Ref over, long keys, List<Run> runs) {
    return new Part(
        order.id(), order.hlc(), kind, node, over, history.stores(), keys, changed, runs);
  }

  // ---- of all keys

  private Part ofAllKeys() throws IOException {
    // At once: from here on the window-log need only reach back to the last page.
    Collected past = heldUpToNow();
    try (RunWriter run = writer()) {
      for (int store = 0; store < history.stores().size(); store++) {
        Scan scan = history.scan(history.stores().get(store));
        if (scan == null) {
          writeStore(store, run, past);
        } else {
          writeSorted(store, scan, run, past);
        }
      }
      history.requireNothingLost(order.hlc());
      changed = run.entries();
      written.add(finished(run));
    }
    close();
    return part(order.kind(), Ref.NONE, changed, written);
  }

  private void writeStore(int store, RunWriter run, Collected past) throws IOException {
    String name = history.stores().get(store);
    byte[] upTo = null;
    do {
      List<Entry> page = history.page(name, upTo, PAGE_BYTES);
      // What the page has too late is found now.
      past.overlay().extend();
      byte[] last = page.isEmpty() ? null : page.get(page.size() - 1).key();
      upTo = writeUpTo(last, past.old().over(page, store, upTo), store, run);
      past.old().forgetUpTo(store, upTo);
      progress(run);
    } while (upTo != null);
  }

  /**
   * Returns {@code last}, or an earlier key if there are so many that the past must be extended
   * first: keys that are gone stand on no page.
   *
   * @param last null: all there are
   */
  private byte @Nullable [] writeUpTo(
      byte @Nullable [] last, MergedRuns all, int store, RunWriter run) throws IOException {
    long begun = nanos.getAsLong();
    long read = 0;
    for (Entry entry = all.nextUpTo(last); entry != null; entry = all.nextUpTo(last)) {
      if (entry.record() != null) {
        run.add(store, entry);
      }
      read++;
      if (read == KEYS_BETWEEN_EXTENSIONS
          || nanos.getAsLong() - begun >= NANOS_BETWEEN_EXTENSIONS) {
        return entry.key();
      }
      if (read % PROGRESS_ENTRIES == 0) {
        progress(run);
      }
    }
    return last;
  }

  /** Of a store whose keys have no order. Once it is read, nothing more of the past is needed. */
  private void writeSorted(int store, Scan scan, RunWriter run, Collected past) throws IOException {
    try (Spill present = spill()) {
      for (List<Entry> page = scan.next(PAGE_BYTES);
          !page.isEmpty();
          page = scan.next(PAGE_BYTES)) {
        page.forEach(entry -> present.add(store, entry));
        keysWritten += page.size();
        watch.passed(keysWritten, bytes);
        extend();
      }
      past.overlay().extend();
      List<Cursor.Pages> sorted = new ArrayList<>(present.pages(store));
      sorted.addAll(past.old().pages(store));
      MergedRuns all = new MergedRuns(sorted, null);
      long merged = 0;
      for (Entry entry = all.next(); entry != null; entry = all.next()) {
        if (entry.record() != null) {
          run.add(store, entry);
        }
        if (++merged % PROGRESS_ENTRIES == 0) {
          watch.passed(keysWritten, bytes + run.bytes());
        }
      }
      past.old().forgetUpTo(store, null);
    }
  }

  // ---- over a base

  /**
   * Writes a run of what differs from the base; how many more keys there are. First what the keys
   * had at the earlier time, which the window-log may soon not reach any more; then, for the same
   * keys, what they have now; meanwhile what has changed since the later time.
   */
  private long writeChanges(long from) throws IOException {
    long early = Math.min(from, order.hlc());
    long late = Math.max(from, order.hlc());
    try (Spill before = spill();
        Spill present = spill();
        Spill fresh = spill()) {
      history.settle(late);
      overlay(early, before).extendTo(late);
      Collected own = held;
      // What is held need not be collected again.
      Collected since =
          own != null && late == order.hlc() ? own : new Collected(fresh, overlay(late, fresh));
      // At once: what was collected may have taken as long as the window is.
      since.overlay().extend();
      for (int store = 0; store < history.stores().size(); store++) {
        readPresent(store, before, present, since.overlay());
      }
      // What was read is in the window-log by now, if it is later.
      since.overlay().extend();
      try (RunWriter run = writer()) {
        long growth = 0;
        for (int store = 0; store < history.stores().size(); store++) {
          List<Cursor.Pages> after = new ArrayList<>(present.pages(store));
          after.addAll(since.old().pages(store));
          growth += writeChanged(store, run, before.merged(store), after);
        }
        history.requireNothingLost(early);
        changed = run.entries();
        written.add(finished(run));
        return order.hlc() >= from ? growth : -growth;
      }
    }
  }

  private void readPresent(int store, Spill keys, Spill present, Overlay overlay) {
    String name = history.stores().get(store);
    MergedRuns all = keys.merged(store);
    long extended = nanos.getAsLong();
    for (Entry entry = all.next(); entry != null; entry = all.next()) {
      present.add(store, new Entry(entry.key(), history.get(name, entry.key())));
      watch.passed(++keysWritten, bytes);
      // Each key that was not used for long may cost some milliseconds of disk time, and a pause.
      boolean isDue = nanos.getAsLong() - extended >= NANOS_BETWEEN_EXTENSIONS;
      if (isDue || keysWritten % KEYS_BETWEEN_EXTENSIONS == 0) {
        overlay.extend();
        extended = nanos.getAsLong();
      }
    }
  }

  private long writeChanged(
      int store, RunWriter run, MergedRuns before, List<Cursor.Pages> afterPages)
      throws IOException {
    boolean isForward = order.hlc() >= Objects.requireNonNull(base).hlc();
    MergedRuns after = new MergedRuns(afterPages, null);
    long growth = 0;
    for (Entry old = before.next(); old != null; old = before.next()) {
      Entry fresh = after.next();
      // All of the first are among the others.
      while (fresh != null && !Arrays.equals(fresh.key(), old.key())) {
        fresh = after.next();
      }
      byte[] record = Objects.requireNonNull(fresh).record();
      run.add(store, isForward ? new Entry(old.key(), record) : old);
      growth += (record == null ? 0 : 1) - (old.record() == null ? 0 : 1);
      reportProgress(run);
    }
    return growth;
  }

  /**
   * The older runs with the new one, a few of them merged when there are many: what is laid over
   * the first run into one, and that into the first when it has grown as long. So a key is written
   * a few times for each time that it changes, however long a snapshot rolls.
   *
   * @param id the snapshot in whose folder all of them are
   * @param isWhole there is no base, so absent keys are omitted
   */
  private List<Run> mergedIfMany(List<Run> older, String id, boolean isWhole) throws IOException {
    List<Run> runs = new ArrayList<>(older);
    runs.addAll(written);
    if (runs.size() <= RUNS_MAX) {
      return runs;
    }
    long laidOver = runs.stream().skip(1).mapToLong(Run::entries).sum();
    int from = laidOver >= runs.get(0).entries() ? 0 : 1;
    Run merged = merge(runs.subList(from, runs.size()), id, from == 0 && isWhole);
    List<Run> left = new ArrayList<>(runs.subList(0, from));
    left.add(merged);
    return left;
  }

  private Run merge(List<Run> runs, String id, boolean presentOnly) throws IOException {
    List<RunReader> readers = new ArrayList<>();
    try (RunWriter run = writer()) {
      for (Run one : runs) {
        readers.add(RunReader.open(folder.of(id), one));
      }
      for (int store = 0; store < history.stores().size(); store++) {
        MergedRuns all = new MergedRuns(readers, store, null);
        for (Entry entry = all.next(); entry != null; entry = all.next()) {
          if (!presentOnly || entry.record() != null) {
            run.add(store, entry);
          }
          reportProgress(run);
        }
      }
      return finished(run);
    } finally {
      readers.forEach(RunReader::close);
    }
  }

  // ---- progress, files

  private void reportProgress(RunWriter run) {
    if (run.entries() % PROGRESS_ENTRIES == 0) {
      progress(run);
    }
  }

  private void progress(RunWriter run) {
    keysWritten = run.entries();
    watch.passed(keysWritten, bytes + run.bytes());
  }

  private Overlay overlay(long hlc, Spill into) {
    return new Overlay(
        history, history.stores(), hlc, into, () -> watch.passed(keysWritten, bytes));
  }

  private Spill spill() {
    return spill(this::nextRun);
  }

  private Spill spill(Spill.Names names) {
    Spill.Runs runs =
        new Spill.Runs(
            folder.of(order.id().id()),
            names,
            folder.room(),
            () -> watch.passed(keysWritten, bytes));
    return new Spill(history.stores().size(), runs, heapBytesMax);
  }

  private String nextRun() {
    String name = runName();
    begun.add(name);
    return name;
  }

  private String runName() {
    return SnapshotFolder.runName(order.id().number(), runsBegun++);
  }

  private RunWriter writer() throws IOException {
    return new RunWriter(folder.of(order.id().id()).resolve(nextRun()), folder.room());
  }

  private Run finished(RunWriter writer) throws IOException {
    Run run = writer.finish();
    bytes += run.bytes();
    return run;
  }
}
