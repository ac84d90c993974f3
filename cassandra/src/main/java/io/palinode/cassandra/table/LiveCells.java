package io.palinode.cassandra.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.RowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterators;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * The cells of rows that a read at one second would return, as keys with their versions. Columns
 * with several cells (collections that are not frozen) and counters have no key.
 */
public final class LiveCells {
  /** The store of all keys: a key names its keyspace and table. */
  public static final String STORE = "cassandra";

  private LiveCells() {}

  /** Reads {@code rows} to its end, and closes it. */
  public static Map<StoreKey, Version> of(UnfilteredRowIterator rows, long nowInSec) {
    Map<StoreKey, Version> cells = new LinkedHashMap<>();
    visit(rows, nowInSec, cells::put);
    return cells;
  }

  /** Visits the cells of {@code rows} in order, and closes it. */
  static void visit(
      UnfilteredRowIterator rows, long nowInSec, BiConsumer<StoreKey, Version> visitor) {
    try (RowIterator live = UnfilteredRowIterators.filter(rows, nowInSec)) {
      TableMetadata table = live.metadata();
      String partition = CellNames.ofPartition(table, live.partitionKey().getKey());
      visit(partition, table, live.staticRow(), visitor);
      while (live.hasNext()) {
        visit(partition, table, live.next(), visitor);
      }
    }
  }

  private static void visit(
      String partition, TableMetadata table, Row row, BiConsumer<StoreKey, Version> visitor) {
    for (ColumnData data : row) {
      if (isWatched(data)) {
        Cell<?> cell = (Cell<?>) data;
        visitor.accept(
            key(CellNames.ofCell(partition, table, row.clustering(), data.column())),
            version(cell));
      }
    }
  }

  /** The keys of the cells that a row writes or deletes. */
  public static void visitKeys(
      String partition,
      TableMetadata table,
      Row row,
      java.util.function.Consumer<StoreKey> visitor) {
    for (ColumnData data : row) {
      if (isWatched(data)) {
        visitor.accept(key(CellNames.ofCell(partition, table, row.clustering(), data.column())));
      }
    }
  }

  /** The keys of all columns that a row may have. */
  public static void visitKeys(
      String partition,
      TableMetadata table,
      Clustering<?> clustering,
      java.util.function.Consumer<StoreKey> visitor) {
    for (ColumnMetadata column : table.regularColumns()) {
      if (isWatched(column)) {
        visitor.accept(key(CellNames.ofCell(partition, table, clustering, column)));
      }
    }
  }

  /** The keys of a row's cells that have a TTL, each with the second in which it ends. */
  public static void visitExpiring(
      String partition, TableMetadata table, Row row, BiConsumer<Long, StoreKey> visitor) {
    for (ColumnData data : row) {
      if (isWatched(data) && ((Cell<?>) data).isExpiring()) {
        visitor.accept(
            ((Cell<?>) data).localDeletionTime(),
            key(CellNames.ofCell(partition, table, row.clustering(), data.column())));
      }
    }
  }

  static boolean isWatched(ColumnData data) {
    return isWatched(data.column());
  }

  static boolean isWatched(ColumnMetadata column) {
    return column.isSimple() && !column.isCounterColumn();
  }

  /** What all keys of a partition begin with. */
  public static StoreKey below(String partition) {
    return key(partition + CellNames.SEPARATOR);
  }

  static StoreKey key(String name) {
    return new StoreKey(STORE, name.getBytes(UTF_8));
  }

  /**
   * Cassandra names a write by its timestamp; of two writes with one timestamp the greater value
   * stays, on all replicas. So both name it here.
   */
  private static Version version(Cell<?> cell) {
    return version(cell.column(), cell.timestamp(), cell.buffer());
  }

  /** The version of a key's record, as a predicate sees it; null if no read would return it. */
  public static @Nullable Version version(StoreKey key, CellRecord record, long nowInSec) {
    CellAddress at = CellNames.parse(key.key());
    ColumnMetadata column = at == null ? null : at.column();
    return column == null || !record.isLiveAt(nowInSec)
        ? null
        : version(column, record.timestamp(), ByteBuffer.wrap(record.value()));
  }

  private static Version version(ColumnMetadata column, long timestamp, ByteBuffer value) {
    byte[] name =
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
            .putLong(timestamp)
            .putInt(java.util.Arrays.hashCode(ByteBufferUtil.getArray(value)))
            .array();
    return new Version(
        CellText.bytes(column.type, value), name, TimeUnit.MICROSECONDS.toMillis(timestamp), null);
  }
}
