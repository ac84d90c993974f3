package io.palinode.cassandra.table;

import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

/** The place of one cell. */
record CellAddress(
    TableMetadata table, DecoratedKey partition, Clustering<?> clustering, ColumnMetadata column) {}
