package io.palinode.cassandra.table;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.detector.binding.StoreKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DeletionTime;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.partitions.AbstractBTreePartition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.ColumnData;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * The writes that Cassandra chose for the cells of some rows, deletes and ended TTLs among them.
 * The marker that a row exists has a key too, whose last part is empty.
 */
public final class CellStates {
  private static final byte[] NO_VALUE = new byte[0];

  private CellStates() {}

  /** The record of a key before a mutation; null if it was never written. */
  public record Replaced(StoreKey key, byte @Nullable [] record) {}

  /** Visits each cell and marker. */
  private interface PlaceVisitor {
    void visit(Clustering<?> row, @Nullable ColumnMetadata column);
  }

  /**
   * The keys that the update changes, with their records before it.
   *
   * @param partition what their keys begin with
   */
  public static List<Replaced> replaced(
      @Nullable AbstractBTreePartition old, PartitionUpdate update, String partition) {
    TableMetadata table = update.metadata();
    Map<StoreKey, Replaced> replaced = new LinkedHashMap<>();
    PlaceVisitor visitor =
        (row, column) -> {
          CellRecord fresh = at(update, row, column);
          CellRecord before = at(old, row, column);
          if (fresh != null && (before == null || CellRecord.ORDER.compare(fresh, before) > 0)) {
            StoreKey key = LiveCells.key(CellNames.of(partition, table, row, column));
            replaced.put(key, new Replaced(key, before == null ? null : before.encode()));
          }
        };
    visit(update, visitor);
    if (old != null && deletes(update)) {
      // A delete changes cells that it does not name.
      visit(old, visitor);
    }
    return new ArrayList<>(replaced.values());
  }

  /** Whether it deletes a row, a range or the partition. */
  private static boolean deletes(PartitionUpdate update) {
    if (!update.deletionInfo().isLive()) {
      return true;
    }
    for (Row row : update) {
      if (!row.deletion().isLive()) {
        return true;
      }
    }
    return false;
  }

  /** All keys of the rows with their records. */
  static Map<StoreKey, CellRecord> of(AbstractBTreePartition rows) {
    TableMetadata table = rows.metadata();
    String partition = CellNames.ofPartition(table, rows.partitionKey().getKey());
    Map<StoreKey, CellRecord> states = new LinkedHashMap<>();
    visit(
        rows,
        (row, column) -> {
          CellRecord state = at(rows, row, column);
          if (state != null) {
            states.put(LiveCells.key(CellNames.of(partition, table, row, column)), state);
          }
        });
    return states;
  }

  private static void visit(AbstractBTreePartition rows, PlaceVisitor visitor) {
    visit(rows.staticRow(), visitor);
    for (Row row : rows) {
      visit(row, visitor);
    }
  }

  private static void visit(Row row, PlaceVisitor visitor) {
    if (!row.primaryKeyLivenessInfo().isEmpty()) {
      visitor.visit(row.clustering(), null);
    }
    for (ColumnData data : row) {
      if (LiveCells.isWatched(data)) {
        visitor.visit(row.clustering(), data.column());
      }
    }
  }

  /** The write that stays at a place; null if there is none. */
  static @Nullable CellRecord at(
      @Nullable AbstractBTreePartition rows,
      Clustering<?> clustering,
      @Nullable ColumnMetadata column) {
    if (rows == null) {
      return null;
    }
    // Without the cells that a deletion of the row, its range or the partition covers.
    Row row = rows.getRow(clustering);
    CellRecord found = row == null ? null : found(row, column);
    if (found != null) {
      return found;
    }
    DeletionTime deletion = rows.partitionLevelDeletion();
    if (row != null && row.deletion().time().supersedes(deletion)) {
      deletion = row.deletion().time();
    }
    return deletion.isLive()
        ? null
        : CellRecord.deleted(deletion.markedForDeleteAt(), deletion.localDeletionTime());
  }

  private static @Nullable CellRecord found(Row row, @Nullable ColumnMetadata column) {
    if (column == null) {
      LivenessInfo marker = row.primaryKeyLivenessInfo();
      return marker.isEmpty() ? null : marker(marker);
    }
    Cell<?> cell = row.getCell(column);
    return cell == null ? null : cell(cell);
  }

  private static CellRecord marker(LivenessInfo marker) {
    return marker.isExpiring()
        ? CellRecord.expiring(
            marker.timestamp(), marker.ttl(), marker.localExpirationTime(), NO_VALUE)
        : CellRecord.live(marker.timestamp(), NO_VALUE);
  }

  private static CellRecord cell(Cell<?> cell) {
    if (cell.isTombstone()) {
      return CellRecord.deleted(cell.timestamp(), cell.localDeletionTime());
    }
    byte[] value = ByteBufferUtil.getArray(cell.buffer());
    return cell.isExpiring()
        ? CellRecord.expiring(cell.timestamp(), cell.ttl(), cell.localDeletionTime(), value)
        : CellRecord.live(cell.timestamp(), value);
  }
}
