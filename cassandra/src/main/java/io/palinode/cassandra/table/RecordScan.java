package io.palinode.cassandra.table;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.detector.binding.StoreKey;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.apache.cassandra.db.DataRange;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.PartitionPosition;
import org.apache.cassandra.db.PartitionRangeReadCommand;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.filter.DataLimits;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.schema.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the records of tables, some partitions at a time, while mutations are applied. In
 * between it holds nothing of Cassandra's: neither files nor memory of flushed memtables. For one
 * thread.
 */
public final class RecordScan {
  private final Deque<TableMetadata> tables;
  private final long second;
  private final long partitionBytesMax;
  private @Nullable DecoratedKey last;

  RecordScan(Collection<TableMetadata> tables, long second, long partitionBytesMax) {
    this.tables = new ArrayDeque<>(tables);
    this.second = second;
    this.partitionBytesMax = partitionBytesMax;
  }

  /**
   * Visits the records of some partitions, maybe none. Returns whether there may be more. Throws
   * {@link LargeReadException} if a partition is too large.
   *
   * @param enough asked before each partition
   */
  public boolean next(BooleanSupplier enough, BiConsumer<StoreKey, CellRecord> visitor) {
    TableMetadata table = tables.peek();
    if (table == null) {
      return false;
    }
    PartitionRangeReadCommand some =
        PartitionRangeReadCommand.create(
            table,
            second,
            ColumnFilter.all(table),
            RowFilter.none(),
            DataLimits.NONE,
            behindLast(table));
    try (ReadExecutionController controller = some.executionController();
        UnfilteredPartitionIterator partitions = some.executeLocally(controller)) {
      while (!enough.getAsBoolean() && partitions.hasNext()) {
        KeptRows all = new KeptRows(table, row -> true, partitionBytesMax);
        try (UnfilteredRowIterator rows = Transformation.apply(partitions.next(), all)) {
          last = rows.partitionKey();
          CellStates.of(ImmutableBTreePartition.create(rows)).forEach(visitor);
        }
      }
      if (!partitions.hasNext()) {
        tables.remove();
        last = null;
      }
    }
    return !tables.isEmpty();
  }

  private DataRange behindLast(TableMetadata table) {
    DataRange all = DataRange.allData(table.partitioner);
    DecoratedKey after = last;
    return after == null
        ? all
        : all.forSubRange(new Range<PartitionPosition>(after, all.keyRange().right));
  }
}
