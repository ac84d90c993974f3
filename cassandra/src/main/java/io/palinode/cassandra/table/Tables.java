package io.palinode.cassandra.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteFeed.ScanVisitor;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.OutOfReachException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.PartitionRangeReadCommand;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.DroppedColumn;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaChangeListener;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.FBUtilities;
import org.jspecify.annotations.Nullable;

/** Reads of this server's own copy of the watched tables. Thread-safe. */
public final class Tables {
  private final List<InetAddress> nodes;
  private final TableRefusals refusals;
  private final LostCells lost = new LostCells();

  /**
   * @param nodes the addresses of the cluster's nodes, in the order of their numbers
   * @param refusals the tables that are not watched, and those that are not restored
   */
  public Tables(List<InetAddress> nodes, TableRefusals refusals) {
    this.nodes = List.copyOf(nodes);
    this.refusals = refusals;
  }

  /** The current version of a key; none if it is absent, or names no cell. */
  public List<Version> versions(StoreKey key) {
    CellAddress cell = CellNames.parse(key.key());
    if (cell == null) {
      return List.of();
    }
    long now = FBUtilities.nowInSeconds();
    ImmutableBTreePartition rows = read(cell, now);
    Version found = rows == null ? null : LiveCells.of(rows.unfilteredIterator(), now).get(key);
    return found == null ? List.of() : List.of(found);
  }

  /**
   * The record of a key; null if it was never written, or names no cell. A TTL that ended after
   * {@code second} has not ended in it, unless the table has {@linkplain #requirePast lost} it.
   */
  public @Nullable CellRecord record(StoreKey key, long second) {
    CellAddress cell = CellNames.parse(key.key());
    return cell == null
        ? null
        : CellStates.at(read(cell, second), cell.clustering(), cell.column());
  }

  /** Notes what a table loses without a mutation. See {@link LostCells}. */
  public void follow(ColumnFamilyStore table) {
    lost.follow(table);
  }

  /**
   * Follows all watched tables.
   *
   * @param hlc the clock of the node that opens; no time before is in its reach
   */
  public void followAll(LongSupplier hlc) {
    lost.begin(hlc);
    // One that is being created has no instance yet; its first flush follows it.
    watched()
        .map(table -> Schema.instance.getColumnFamilyStoreInstance(table.id))
        .filter(Objects::nonNull)
        .forEach(lost::follow);
    Schema.instance.registerListener(
        new SchemaChangeListener() {
          @Override
          public void onDropTable(TableMetadata table, boolean dropsData) {
            if (refusals.isWatched(table)) {
              lost.lostTable();
            }
          }

          @Override
          public void onAlterTable(TableMetadata before, TableMetadata after, boolean isAffecting) {
            if (refusals.isWatched(before) && !refusals.isWatched(after)) {
              lost.lostTable();
            }
          }
        });
  }

  /**
   * Throws {@link OutOfReachException} with the reason if the watched tables may have lost cells
   * after {@code hlc} without a mutation. Call after their reads.
   */
  public void requireNothingLost(long hlc) {
    if (lost.hasLostTableAfter(hlc)) {
      throw OutOfReachException.lost(
          hlc, "a table was dropped after it, or is not watched any more");
    }
    watched()
        .forEach(
            table -> {
              String why = whyLost(table, hlc);
              why = why == null && lost.hasLostTtls(table, hlc) ? ttlsLost(table) : why;
              if (why != null) {
                throw OutOfReachException.lost(hlc, why);
              }
            });
  }

  private @Nullable String whyLost(TableMetadata table, long hlc) {
    for (DroppedColumn dropped : table.droppedColumns.values()) {
      if (dropped.droppedTime >= Hlc.micros(hlc)) {
        return "column '%s' of %s was dropped after that time"
            .formatted(dropped.column.name, table);
      }
    }
    return lost.isTruncatedAfter(table, hlc)
        ? "table %s was truncated after that time".formatted(table)
        : null;
  }

  private static String ttlsLost(TableMetadata table) {
    return "a compaction of table %s after that time may have removed a value whose TTL had ended"
        .formatted(table);
  }

  /**
   * Throws {@link IllegalArgumentException} with the reason if the record of a key at a time cannot
   * be known from window-log and present. Call after their reads.
   *
   * @param isLive whether a read at that time returned the cell, by these records
   */
  public void requirePast(StoreKey key, long hlc, boolean isLive) {
    CellAddress cell = watched(key);
    ColumnMetadata column = requireNonNull(cell.column());
    TableMetadata table = cell.table();
    DroppedColumn dropped = table.droppedColumns.get(column.name.bytes);
    if (dropped != null && dropped.droppedTime >= Hlc.micros(hlc)) {
      throw new IllegalArgumentException(
          "column '%s' of %s was dropped after that time".formatted(column.name, table));
    }
    if (lost.isTruncatedAfter(table, hlc)) {
      throw new IllegalArgumentException("table %s was truncated after that time".formatted(table));
    }
    if (!isLive && lost.hasLostTtls(table, hlc)) {
      throw new IllegalArgumentException(ttlsLost(table));
    }
  }

  /** Throws {@link IllegalArgumentException} with the reason if a key is of no watched cell. */
  public void requireWatched(StoreKey key) {
    CellAddress unused = watched(key);
  }

  private CellAddress watched(StoreKey key) {
    CellAddress cell = CellNames.parse(key.key());
    ColumnMetadata column = cell == null ? null : cell.column();
    if (cell == null || column == null) {
      throw new IllegalArgumentException(
          "no table has this key, which must be KEYSPACE.TABLE/PARTITION/CLUSTERING/COLUMN: "
              + new String(key.key(), UTF_8));
    }
    if (!refusals.isWatched(cell.table())) {
      throw new IllegalArgumentException("table %s is not watched".formatted(cell.table()));
    }
    if (!LiveCells.isWatched(column)) {
      throw new IllegalArgumentException("column '%s' is not watched".formatted(column.name));
    }
    return cell;
  }

  private static @Nullable ImmutableBTreePartition read(CellAddress cell, long now) {
    return cell.isStatic()
        ? read(cell.table(), cell.partition(), Slices.NONE, now)
        : read(cell.table(), cell.partition(), cell.clustering(), now);
  }

  /** Visits each cell of each watched table. */
  public void scan(ScanVisitor visitor) {
    long now = FBUtilities.nowInSeconds();
    watched()
        .forEach(
            table ->
                scan(
                    table,
                    now,
                    rows ->
                        LiveCells.visit(
                            rows, now, (key, live) -> visitor.visit(key, List.of(live)))));
  }

  /** Visits the record of each key of each watched table. */
  public void scanRecords(BiConsumer<StoreKey, CellRecord> visitor) {
    RecordScan scan =
        new RecordScan(watched().toList(), FBUtilities.nowInSeconds(), Long.MAX_VALUE);
    while (scan.next(() -> false, visitor)) {
      // All of it.
    }
  }

  /**
   * Goes through the records of all watched tables, with the TTLs as in {@code second}. A partition
   * above {@link #partitionBytesMax} fails it.
   */
  public RecordScan records(long second) {
    return new RecordScan(watched().toList(), second, partitionBytesMax());
  }

  /** A watched table that was truncated after a time, to the millisecond; null if there is none. */
  public @Nullable TableMetadata truncatedAfter(long epochMicros) {
    long millis = TimeUnit.MICROSECONDS.toMillis(epochMicros);
    return watched()
        .filter(table -> SystemKeyspace.getTruncatedAt(table.id) >= millis)
        .findFirst()
        .orElse(null);
  }

  /** See {@link TableRefusals#notRestored}. */
  public Map<String, String> notRestored() {
    return refusals.notRestored();
  }

  /** The tables whose writes are announced. */
  public Stream<TableMetadata> watched() {
    return TableRefusals.tables().filter(refusals::isWatched);
  }

  /** Without Cassandra's limit of tombstones: a scan that fails keeps the node from joining. */
  private static void scan(TableMetadata table, long now, Consumer<UnfilteredRowIterator> visitor) {
    PartitionRangeReadCommand all = PartitionRangeReadCommand.allDataRead(table, now);
    try (ReadExecutionController controller = all.executionController();
        UnfilteredPartitionIterator partitions =
            all.queryStorage(Keyspace.openAndGetStore(table), controller)) {
      partitions.forEachRemaining(visitor);
    }
  }

  /** A table with a larger partition is not restored. */
  public long partitionBytesMax() {
    return refusals.partitionBytesMax();
  }

  /** The nodes that hold a key, in ascending order; none if it names no cell. */
  public List<Integer> replicas(StoreKey key) {
    CellAddress cell = CellNames.parse(key.key());
    if (cell == null) {
      return List.of();
    }
    return Keyspace.open(cell.table().keyspace)
        .getReplicationStrategy()
        .getNaturalReplicasForToken(cell.partition().getToken())
        .endpoints()
        .stream()
        .map(endpoint -> nodes.indexOf(endpoint.getAddress()))
        .filter(node -> node >= 0)
        .sorted()
        .toList();
  }

  /** The rows of a partition within {@code slices}, with tombstones; null if there are none. */
  public static @Nullable ImmutableBTreePartition read(
      TableMetadata table, DecoratedKey partition, Slices slices, long now) {
    return read(SinglePartitionReadCommand.create(table, now, partition, slices), null);
  }

  /**
   * Those of these rows that {@code kept} accepts, and the static row; holds only these. Throws
   * {@link LargeReadException} if the rows, accepted or not, have more than {@code bytesMax}.
   */
  public static @Nullable ImmutableBTreePartition readRange(
      TableMetadata table,
      DecoratedKey partition,
      Slices slices,
      long now,
      Predicate<Row> kept,
      long bytesMax) {
    return read(
        SinglePartitionReadCommand.create(table, now, partition, slices),
        new KeptRows(table, kept, bytesMax));
  }

  /** These rows of a partition and its static row, with tombstones; null if there are none. */
  public static @Nullable ImmutableBTreePartition read(
      TableMetadata table, DecoratedKey partition, NavigableSet<Clustering<?>> rows, long now) {
    return read(SinglePartitionReadCommand.create(table, now, partition, rows), null);
  }

  private static @Nullable ImmutableBTreePartition read(
      TableMetadata table, DecoratedKey partition, Clustering<?> row, long now) {
    return read(SinglePartitionReadCommand.create(table, now, partition, row), null);
  }

  private static @Nullable ImmutableBTreePartition read(
      SinglePartitionReadCommand command, @Nullable KeptRows kept) {
    try (ReadExecutionController controller = command.executionController();
        UnfilteredPartitionIterator partitions = command.executeLocally(controller)) {
      if (!partitions.hasNext()) {
        return null;
      }
      UnfilteredRowIterator found = partitions.next();
      try (UnfilteredRowIterator rows = kept == null ? found : Transformation.apply(found, kept)) {
        return ImmutableBTreePartition.create(rows);
      }
    }
  }
}
