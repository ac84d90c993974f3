package io.palinode.cassandra.table;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.detector.binding.StoreKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.db.commitlog.CommitLog;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.jspecify.annotations.Nullable;

/** Writes restored cells into this server's tables, all with one timestamp. For one thread. */
public final class RestoredCells {
  /** Well below the largest mutation that Cassandra accepts by default, 16 MiB. */
  private static final int MUTATION_BYTES = 1 << 20;

  /** A row has no tombstone for its marker alone: one with this TTL has ended long ago. */
  private static final int ENDED_TTL = 1;

  private final long timestamp;
  private final long second;
  private final Map<Partition, PartitionUpdate.Builder> updates = new LinkedHashMap<>();
  private int bytes;

  private record Partition(TableMetadata table, DecoratedKey key) {}

  private RestoredCells(long timestamp, long second) {
    this.timestamp = timestamp;
    this.second = second;
  }

  /**
   * Writes the cells. On the medium when it returns. A repeat with the same timestamp changes
   * nothing. Skips keys of tables that are gone.
   *
   * @param cells null: the cell was never written on the cut
   * @param second the present
   */
  public static void write(Map<StoreKey, @Nullable CellRecord> cells, long timestamp, long second) {
    RestoredCells restored = new RestoredCells(timestamp, second);
    cells.forEach(restored::add);
    restored.apply();
    try {
      CommitLog.instance.sync(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(StoreKey key, @Nullable CellRecord cut) {
    CellAddress at = CellNames.parse(key.key());
    if (at == null) {
      return;
    }
    CellRecord cell = CellRecord.restored(cut, timestamp, second);
    updates
        .computeIfAbsent(
            new Partition(at.table(), at.partition()),
            partition ->
                new PartitionUpdate.Builder(
                    at.table(), at.partition(), at.table().regularAndStaticColumns(), 1))
        .add(row(at.clustering(), at.column(), cell));
    bytes += key.key().length + cell.value().length;
    if (bytes > MUTATION_BYTES) {
      apply();
    }
  }

  private Row row(Clustering<?> clustering, @Nullable ColumnMetadata column, CellRecord cell) {
    Row.Builder row = BTreeRow.unsortedBuilder();
    row.newRow(clustering);
    if (column == null) {
      row.addPrimaryKeyLivenessInfo(marker(cell));
    } else {
      row.addCell(cell(column, cell));
    }
    return row.build();
  }

  private LivenessInfo marker(CellRecord cell) {
    return switch (cell.kind()) {
      case LIVE -> LivenessInfo.create(timestamp, second);
      case EXPIRING -> LivenessInfo.withExpirationTime(timestamp, cell.ttl(), cell.endsAt());
      case DELETED -> LivenessInfo.withExpirationTime(timestamp, ENDED_TTL, second - 1);
    };
  }

  private Cell<?> cell(ColumnMetadata column, CellRecord cell) {
    ByteBuffer value = ByteBuffer.wrap(cell.value());
    return switch (cell.kind()) {
      case LIVE -> BufferCell.live(column, timestamp, value);
      case EXPIRING -> new BufferCell(column, timestamp, cell.ttl(), cell.endsAt(), value, null);
      case DELETED -> BufferCell.tombstone(column, timestamp, second);
    };
  }

  private void apply() {
    updates.values().forEach(update -> new Mutation(update.build()).apply());
    updates.clear();
    bytes = 0;
  }
}
