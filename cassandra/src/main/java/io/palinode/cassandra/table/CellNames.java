package io.palinode.cassandra.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.cassandra.cql3.ColumnIdentifier;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.ByteBufferAccessor;
import org.apache.cassandra.db.marshal.CompositeType;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.serializers.MarshalException;
import org.jspecify.annotations.Nullable;

/**
 * The key of a cell: {@code keyspace.table/partition key/clustering/column}.
 *
 * <p>Each column of the primary key is one part. A static column, and each column of a table
 * without clustering columns, has no clustering part. A {@code /} in a part is {@code %2F}, a
 * {@code %} is {@code %25}. The marker that a row exists has an empty column.
 */
public final class CellNames {
  static final String SEPARATOR = "/";

  private CellNames() {}

  /** The beginning that the keys of a table share, and no other key has. */
  static String ofTable(TableMetadata table) {
    return table.keyspace + '.' + table.name + SEPARATOR;
  }

  /** The beginning that the keys of a partition share. */
  public static String ofPartition(TableMetadata table, ByteBuffer partitionKey) {
    StringBuilder name = new StringBuilder(table.keyspace).append('.').append(table.name);
    List<ColumnMetadata> columns = table.partitionKeyColumns();
    if (columns.size() == 1) {
      append(name, CellText.part(columns.get(0).type, partitionKey));
    } else {
      ByteBuffer[] parts = ((CompositeType) table.partitionKeyType).split(partitionKey);
      for (int i = 0; i < columns.size(); i++) {
        append(name, CellText.part(columns.get(i).type, parts[i]));
      }
    }
    return name.toString();
  }

  /** The key of a cell of the partition. */
  public static String ofCell(
      String partition, TableMetadata table, Clustering<?> clustering, ColumnMetadata column) {
    return of(partition, table, clustering, column);
  }

  /** The key of a cell, or of the row's marker if {@code column} is null. */
  static String of(
      String partition,
      TableMetadata table,
      Clustering<?> clustering,
      @Nullable ColumnMetadata column) {
    StringBuilder name = new StringBuilder(partition);
    if (column == null || !column.isStatic()) {
      for (int i = 0; i < clustering.size(); i++) {
        append(name, CellText.part(table.clusteringColumns().get(i).type, clustering.bufferAt(i)));
      }
    }
    append(name, column == null ? "" : column.name.toString());
    return name.toString();
  }

  private static void append(StringBuilder name, String part) {
    name.append(SEPARATOR).append(part.replace("%", "%25").replace(SEPARATOR, "%2F"));
  }

  private static String unescaped(String part) {
    return part.replace("%2F", SEPARATOR).replace("%25", "%");
  }

  /** The cell or marker that a key names; null if no table has it. */
  static @Nullable CellAddress parse(byte[] key) {
    String[] parts = new String(key, UTF_8).split(SEPARATOR, -1);
    int dot = parts[0].indexOf('.');
    TableMetadata table =
        dot < 0
            ? null
            : Schema.instance.getTableMetadata(
                parts[0].substring(0, dot), parts[0].substring(dot + 1));
    return table == null ? null : parse(table, parts);
  }

  private static @Nullable CellAddress parse(TableMetadata table, String[] parts) {
    int keys = table.partitionKeyColumns().size();
    int clusterings = parts.length - keys - 2;
    if (clusterings < 0) {
      return null;
    }
    String last = unescaped(parts[parts.length - 1]);
    ColumnMetadata column =
        last.isEmpty() ? null : table.getColumn(ColumnIdentifier.getInterned(last, true));
    if (column == null ? !last.isEmpty() : column.isPrimaryKeyColumn()) {
      return null;
    }
    boolean isStatic = column != null && column.isStatic();
    if (clusterings != (isStatic ? 0 : table.clusteringColumns().size())) {
      return null;
    }
    try {
      List<ByteBuffer> values = new ArrayList<>();
      for (int i = 0; i < keys + clusterings; i++) {
        AbstractType<?> type =
            i < keys
                ? table.partitionKeyColumns().get(i).type
                : table.clusteringColumns().get(i - keys).type;
        values.add(type.unwrap().fromString(unescaped(parts[1 + i])));
      }
      return new CellAddress(
          table,
          table.partitioner.decorateKey(partitionKey(values.subList(0, keys))),
          clustering(isStatic, values.subList(keys, values.size())),
          column);
    } catch (MarshalException unreadable) {
      return null;
    }
  }

  private static ByteBuffer partitionKey(List<ByteBuffer> parts) {
    return parts.size() == 1
        ? parts.get(0)
        : CompositeType.build(ByteBufferAccessor.instance, parts.toArray(ByteBuffer[]::new));
  }

  private static Clustering<?> clustering(boolean isStatic, List<ByteBuffer> parts) {
    if (isStatic) {
      return Clustering.STATIC_CLUSTERING;
    }
    return parts.isEmpty() ? Clustering.EMPTY : Clustering.make(parts.toArray(ByteBuffer[]::new));
  }
}
