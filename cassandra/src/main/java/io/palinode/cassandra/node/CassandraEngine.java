package io.palinode.cassandra.node;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.cassandra.table.LargeReadException;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.RecordScan;
import io.palinode.cassandra.table.RestoredCells;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.retroscope.snapshot.Scan;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.store.engine.FreeBytes;
import io.palinode.store.engine.KeyBytes;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.engine.StorageException;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.hosted.MetaFiles.Planned;
import io.palinode.store.order.NodeMeta;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.cassandra.utils.FBUtilities;
import org.jspecify.annotations.Nullable;

/**
 * The node's own records in files, and the cells of the server's tables. A commit of cells changes
 * no table: the cells are pending, and replace those of the tables in each read, until a resume
 * writes all of them. So a rollback that fails halfway has changed nothing.
 *
 * <p>A journal makes a commit of cells and own records atomic; a start finishes it.
 */
final class CassandraEngine implements StorageEngine {
  private static final byte[] PENDING = "pending".getBytes(StandardCharsets.US_ASCII);

  private static final long LOOK_NANOS = 1_000_000;

  private final MetaFiles files;
  private final Tables tables;
  private final List<File> folders;
  private volatile PendingCells pending;

  private volatile LongSupplier second = () -> 0;

  /**
   * @param server the folders of the server's data and of its commit log
   */
  CassandraEngine(MetaFiles files, Tables tables, List<File> server) {
    this.files = files;
    this.tables = tables;
    this.folders = Stream.concat(Stream.of(files.folder().toFile()), server.stream()).toList();
    List<Change> interrupted = files.journal().stream().map(Planned::change).toList();
    if (!interrupted.isEmpty()) {
      put(interrupted);
    }
    byte[] record = files.get(PENDING);
    this.pending = record == null ? PendingCells.NONE : PendingCells.decode(record);
  }

  private void put(List<Change> journaled) {
    files.put(journaled, true);
    files.removeJournal();
  }

  PendingCells pending() {
    return pending;
  }

  /** Reads cells from now on as in this second, so with TTLs that have ended since. */
  void readAsIn(LongSupplier earlier) {
    second = earlier;
  }

  /** The pending cells from now on. On the medium when it returns. */
  void become(PendingCells next) {
    files.put(List.of(toChange(next)), true);
    pending = next;
  }

  /**
   * Writes the pending cells, which have a timestamp, into the tables, and waits for this server's
   * clock to pass it: a server that stamps a write for its client is then later.
   */
  void writePending(OwnWrites own) {
    PendingCells writing = pending;
    Map<StoreKey, @Nullable CellRecord> cells = new LinkedHashMap<>();
    writing
        .cells()
        .forEach(
            (key, record) ->
                cells.put(
                    new StoreKey(LiveCells.STORE, key.bytes()),
                    record.length == 0 ? null : CellRecord.decode(record)));
    own.run(() -> RestoredCells.write(cells, writing.timestamp(), FBUtilities.nowInSeconds()));
    while (FBUtilities.timestampMicros() <= writing.timestamp()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    become(PendingCells.NONE);
  }

  private static Change toChange(PendingCells cells) {
    return new Change(NodeMeta.STORE, PENDING, cells.isEmpty() ? null : cells.encode());
  }

  @Override
  public byte @Nullable [] get(String store, byte[] key) {
    if (isMeta(store)) {
      return files.get(key);
    }
    PendingCells now = pending;
    if (now.has(key)) {
      return now.record(key);
    }
    CellRecord record = tables.record(new StoreKey(store, key), second.getAsLong());
    return record == null ? null : record.encode();
  }

  @Override
  public void commit(List<Change> changes, Durability durability) {
    Map<KeyBytes, byte @Nullable []> cells = new LinkedHashMap<>();
    List<Change> own = new ArrayList<>();
    for (Change change : changes) {
      if (isMeta(change.store())) {
        own.add(change);
      } else {
        cells.put(new KeyBytes(change.key()), change.record());
      }
    }
    if (cells.isEmpty()) {
      files.put(own, durability == Durability.SYNCED);
      return;
    }
    PendingCells next = pending.with(cells);
    own.add(toChange(next));
    files.writeJournal(own.stream().map(change -> new Planned(change, null)).toList());
    put(own);
    pending = next;
  }

  private static boolean isMeta(String store) {
    return store.equals(NodeMeta.STORE);
  }

  @Override
  public void scan(String store, RecordVisitor visitor) {
    if (!store.equals(LiveCells.STORE)) {
      throw new IllegalArgumentException("the node's own records are not scanned: " + store);
    }
    PendingCells now = pending;
    tables.scanRecords(
        (key, record) -> {
          if (!now.has(key.key())) {
            visitor.visit(key.key(), record.encode());
          }
        });
    now.cells()
        .forEach(
            (key, record) -> {
              if (record.length > 0) {
                visitor.visit(key.bytes(), record);
              }
            });
  }

  @Override
  public Scan scan(String store) {
    return new EngineScan(tables.records(second.getAsLong()));
  }

  /** The cells of the tables, then the pending ones instead. */
  private final class EngineScan implements Scan {
    private final RecordScan records;
    private boolean more = true;

    EngineScan(RecordScan records) {
      this.records = records;
    }

    @Override
    public List<Entry> next(int bytesMax) {
      List<Entry> page = new ArrayList<>();
      long[] bytes = {0};
      try {
        while (more && bytes[0] < bytesMax) {
          PendingCells now = pending;
          more =
              records.next(
                  () -> bytes[0] >= bytesMax,
                  (key, cell) -> {
                    if (!now.has(key.key())) {
                      byte[] record = cell.encode();
                      page.add(new Entry(key.key(), record));
                      bytes[0] += key.key().length + record.length;
                    }
                  });
          if (!more) {
            addPending(page);
          }
        }
      } catch (LargeReadException e) {
        throw new SnapshotException(String.valueOf(e.getMessage()), e);
      }
      return page;
    }

    private void addPending(List<Entry> page) {
      pending
          .cells()
          .forEach(
              (key, record) -> {
                if (record.length > 0) {
                  page.add(new Entry(key.bytes(), record));
                }
              });
    }
  }

  /** Throws: Cassandra's tables have no key order. */
  @Override
  public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
    String why = "a Cassandra server's tables have no key order; compare two snapshots";
    throw new StorageException(why, new UnsupportedOperationException(why));
  }

  @Override
  public OptionalLong freeBytes() {
    return FreeBytes.least(folders);
  }

  @Override
  public boolean putSpare(byte[] record, Durability durability) {
    return files.putSpare(record, durability == Durability.SYNCED);
  }

  @Override
  public byte @Nullable [] spare() {
    return files.spare();
  }

  /** Does nothing: the server closes its tables. */
  @Override
  public void close() {}
}
