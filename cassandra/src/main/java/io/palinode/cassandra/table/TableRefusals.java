package io.palinode.cassandra.table;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.SSTableSet;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.KeyspaceMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.ViewMetadata;
import org.jspecify.annotations.Nullable;

/** Which tables are not watched, and which are not restored, though they chose it. Thread-safe. */
public final class TableRefusals {
  private final Predicate<TableMetadata> chosen;
  private final boolean isRestored;
  private final long partitionBytesMax;

  /**
   * @param chosen whether a table chose our memtable
   * @param isRestored whether rollbacks restore tables
   * @param partitionBytesMax a table with a larger partition is not restored
   */
  public TableRefusals(
      Predicate<TableMetadata> chosen, boolean isRestored, long partitionBytesMax) {
    this.chosen = chosen;
    this.isRestored = isRestored;
    this.partitionBytesMax = partitionBytesMax;
  }

  public long partitionBytesMax() {
    return partitionBytesMax;
  }

  /** Whether a table's writes are announced. */
  public boolean isWatched(TableMetadata table) {
    return chosen.test(table) && of(table) == null;
  }

  /** Why a table that chose it is not watched, by its schema; null if it is. */
  public @Nullable String of(TableMetadata table) {
    if (table.isCounter()) {
      return "a counter has no value that a write names";
    }
    if (table.isView()) {
      return "a materialized view repeats the writes of its table; watch that table";
    }
    if (table.isIndex() || SchemaConstants.isSystemKeyspace(table.keyspace)) {
      return "it is Cassandra's own";
    }
    return isRestored ? notRestored(table) : null;
  }

  private static @Nullable String notRestored(TableMetadata table) {
    for (ColumnMetadata column : table.columns()) {
      if (column.isComplex()) {
        return "column '%s' is not frozen, so it cannot be restored".formatted(column.name);
      }
    }
    KeyspaceMetadata keyspace = Schema.instance.getKeyspaceMetadata(table.keyspace);
    if (keyspace != null) {
      for (ViewMetadata view : keyspace.views.forTable(table.id)) {
        return "its materialized view '%s' cannot be restored with it".formatted(view.name());
      }
    }
    return null;
  }

  /**
   * The keys of the tables that chose to be restored and cannot be: how they begin, and why. O(all
   * tables, and SSTables of the chosen ones).
   */
  Map<String, String> notRestored() {
    Map<String, String> keys = new TreeMap<>();
    if (isRestored) {
      tables()
          .filter(chosen)
          .forEach(
              table -> {
                String why = of(table);
                why = why == null ? tooLarge(table) : why;
                if (why != null) {
                  keys.put(CellNames.ofTable(table), why);
                }
              });
    }
    return keys;
  }

  private @Nullable String tooLarge(TableMetadata table) {
    ColumnFamilyStore store = Schema.instance.getColumnFamilyStoreInstance(table.id);
    if (store == null) {
      return null;
    }
    long largest = 0;
    for (SSTableReader part : store.getSSTables(SSTableSet.CANONICAL)) {
      largest = Math.max(largest, part.getEstimatedPartitionSize().max());
    }
    return largest > partitionBytesMax
        ? "it has a partition of about %d bytes, limit %d; see 'partition_max'"
            .formatted(largest, partitionBytesMax)
        : null;
  }

  static Stream<TableMetadata> tables() {
    return Schema.instance.getKeyspaces().stream()
        .map(Schema.instance::getKeyspaceMetadata)
        .filter(Objects::nonNull)
        .flatMap(keyspace -> StreamSupport.stream(keyspace.tablesAndViews().spliterator(), false));
  }
}
