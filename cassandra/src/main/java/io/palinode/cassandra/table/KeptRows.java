package io.palinode.cassandra.table;

import java.util.function.Predicate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.schema.TableMetadata;
import org.jspecify.annotations.Nullable;

/** Drops rows one by one, as they are read. Throws {@link LargeReadException} at a limit. */
final class KeptRows extends Transformation<UnfilteredRowIterator> {
  private final TableMetadata table;
  private final Predicate<Row> kept;
  private final long bytesMax;
  private long bytes;

  /**
   * @param bytesMax of all rows, also of those that are dropped
   */
  KeptRows(TableMetadata table, Predicate<Row> kept, long bytesMax) {
    this.table = table;
    this.kept = kept;
    this.bytesMax = bytesMax;
  }

  @Override
  protected @Nullable Row applyToRow(Row row) {
    bytes += row.dataSize();
    if (bytes > bytesMax) {
      throw new LargeReadException(table.toString(), bytesMax);
    }
    return kept.test(row) ? row : null;
  }
}
