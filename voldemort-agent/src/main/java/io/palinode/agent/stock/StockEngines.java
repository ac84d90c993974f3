package io.palinode.agent.stock;

import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.store.engine.FreeBytes;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageException;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.hosted.MetaFiles.Planned;
import io.palinode.store.order.NodeMeta;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.Siblings;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's engines, and the node's own records, as the storage of a {@link StoreNode}.
 *
 * <p>A journal makes a commit of several keys atomic. It is on the medium before the first key
 * changes, and a start finishes it. A key with another record than before and after the commit was
 * written by a server without the agent, and stays as it is. Engines in memory begin empty and need
 * no journal.
 *
 * <p>A commit that fails without a crash is reverted at once, in memory too. If the reversal fails,
 * the next thread that excludes writes retries it before it reads or commits; other threads are
 * refused until then. So no thread uses a partial commit.
 */
public final class StockEngines implements StorageEngine {
  private static final Logger log = LoggerFactory.getLogger(StockEngines.class);

  private final Map<String, StockEngine> engines = new LinkedHashMap<>();
  private final MetaFiles meta;
  private final OwnCalls own;
  // The changes of a failed commit that are still to be reverted. Written while writes are
  // excluded.
  private volatile List<Planned> failed = List.of();

  /**
   * Finishes an interrupted commit. Throws {@link StorageException} if that fails, and keeps the
   * journal for the next start.
   */
  public StockEngines(List<StockEngine> engines, MetaFiles meta, OwnCalls own) {
    engines.forEach(engine -> this.engines.put(engine.store(), engine));
    this.meta = meta;
    this.own = own;
    List<Planned> interrupted = meta.journal();
    if (!interrupted.isEmpty()) {
      end(interrupted);
    }
  }

  private void end(List<Planned> interrupted) {
    List<Change> due = new ArrayList<>();
    int writtenSince = 0;
    for (Planned planned : interrupted) {
      Change change = planned.change();
      if (isMeta(change.store())) {
        due.add(change);
      } else if (isOnDisk(change.store())) {
        byte[] now = read(change.store(), change.key());
        if (isSame(now, planned.before())) {
          due.add(change);
        } else if (!isSame(now, change.record())) {
          writtenSince++;
        }
      }
    }
    apply(due);
    log.warn(
        "journal changes={} writtenSince={} state=ENDED, later writes stay",
        interrupted.size(),
        writtenSince);
  }

  /** False also for a removed store. */
  private boolean isOnDisk(String store) {
    StockEngine engine = engines.get(store);
    return engine != null && !engine.isInMemory();
  }

  /** Whether both records have the same versions. */
  private static boolean isSame(byte @Nullable [] left, byte @Nullable [] right) {
    if (left == null || right == null) {
      return left == null && right == null;
    }
    return Arrays.equals(left, right) || Siblings.decode(left).equals(Siblings.decode(right));
  }

  private StockEngine engine(String store) {
    StockEngine engine = engines.get(store);
    if (engine == null) {
      throw new IllegalArgumentException(
          "a store must be one of %s: store=%s".formatted(engines.keySet(), store));
    }
    return engine;
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    if (isMeta(store)) {
      return meta.get(key);
    }
    putBackFailed();
    return read(store, key);
  }

  private byte @Nullable [] read(String store, byte[] key) {
    StockEngine engine = engine(store);
    return failing(() -> engine.get(key));
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    putBackFailed();
    if (changes.stream().allMatch(change -> isMeta(change.store()))) {
      meta.put(changes, durability == Durability.SYNCED);
      return;
    }
    List<Planned> planned = planned(changes);
    failed = planned;
    try {
      meta.writeJournal(planned.stream().filter(this::outlivesTheServer).toList());
      apply(changes);
    } catch (RuntimeException e) {
      putBackAfter(e);
      throw e;
    }
    failed = List.of();
  }

  private List<Planned> planned(List<Change> changes) {
    List<Planned> planned = new ArrayList<>(changes.size());
    for (Change change : changes) {
      byte[] before =
          isMeta(change.store()) ? meta.get(change.key()) : read(change.store(), change.key());
      planned.add(new Planned(change, before));
    }
    return planned;
  }

  private boolean outlivesTheServer(Planned planned) {
    String store = planned.change().store();
    return isMeta(store) || isOnDisk(store);
  }

  private void putBackAfter(RuntimeException why) {
    log.error("commit changes={} state=FAILED, it is put back", failed.size(), why);
    try {
      putBackFailed();
    } catch (RuntimeException again) {
      log.error("commit state=NOT_PUT_BACK, tried again before anything else", again);
    }
  }

  /** Reverts the failed commit, or throws. */
  private void putBackFailed() {
    List<Planned> all = failed;
    if (all.isEmpty()) {
      return;
    }
    if (!engines.values().stream().allMatch(StockEngine::isAlone)) {
      String why = "a commit has failed and is still to be put back";
      throw new StorageException(why, new IllegalStateException(why));
    }
    apply(all.stream().filter(this::isMade).map(StockEngines::reverse).toList());
    failed = List.of();
    log.info("commit changes={} state=PUT_BACK", all.size());
  }

  /** Whether the key must be reverted. Later writes stay, as at a start. */
  private boolean isMade(Planned planned) {
    Change change = planned.change();
    if (isMeta(change.store())) {
      return !Arrays.equals(meta.get(change.key()), planned.before());
    }
    byte[] now = read(change.store(), change.key());
    return !isSame(now, planned.before()) && isSame(now, change.record());
  }

  private static Change reverse(Planned planned) {
    return new Change(planned.change().store(), planned.change().key(), planned.before());
  }

  private void apply(List<Change> changes) {
    List<Change> ofMeta = new ArrayList<>();
    Map<String, StockEngine> changed = new LinkedHashMap<>();
    for (Change change : changes) {
      if (isMeta(change.store())) {
        ofMeta.add(change);
      } else if (engines.containsKey(change.store())) {
        StockEngine engine = engine(change.store());
        changed.put(change.store(), engine);
        failing(
            () -> {
              engine.set(change.key(), change.record());
              return null;
            });
      }
    }
    changed.values().stream().filter(e -> !e.isRemoved()).forEach(StockEngine::sync);
    meta.put(ofMeta, true);
    meta.removeJournal();
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    putBackFailed();
    StockEngine engine = engine(store);
    failing(
        () -> {
          engine.scan(visitor::visit);
          return null;
        });
  }

  /** Throws: the server's engines have no key order. */
  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    String why = "a stock server's store has no key order: no snapshot of " + store;
    throw new StorageException(why, new UnsupportedOperationException(why));
  }

  private <T> @Nullable T failing(Failing<T> call) {
    try {
      return own.run(call::run);
    } catch (RuntimeException e) {
      throw new StorageException("an engine of the server failed: " + e, e);
    }
  }

  @FunctionalInterface
  private interface Failing<T> {
    @Nullable T run();
  }

  private static boolean isMeta(String store) {
    return store.equals(NodeMeta.STORE);
  }

  @Override
  public OptionalLong freeBytes() {
    List<File> folders = new ArrayList<>(List.of(meta.folder().toFile()));
    for (StockEngine engine : engines.values()) {
      File folder = engine.isRemoved() ? null : engine.folder();
      if (folder != null) {
        folders.add(folder);
      }
    }
    return FreeBytes.least(folders);
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    return meta.putSpare(record, durability == Durability.SYNCED);
  }

  @Override
  public byte @Nullable [] spare() {
    return meta.spare();
  }

  /** Does nothing: the server closes its engines. */
  @Override
  public void close() {}
}
