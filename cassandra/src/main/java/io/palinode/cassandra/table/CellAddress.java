package io.palinode.cassandra.table;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The place of one cell.
 *
 * @param column null: the marker that the row exists
 */
record CellAddress(
    TableMetadata table,
    DecoratedKey partition,
    Clustering<?> clustering,
    @Nullable ColumnMetadata column) {
  boolean isStatic() {
    return column != null && column.isStatic();
  }
}
