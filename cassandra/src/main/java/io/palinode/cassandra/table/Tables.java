package io.palinode.cassandra.table;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteFeed.ScanVisitor;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.PartitionRangeReadCommand;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.FBUtilities;
import org.jspecify.annotations.Nullable;

/** Reads of this server's own copy of the watched tables. Thread-safe. */
public final class Tables {
  private final List<InetAddress> nodes;
  private final TableRefusals refusals;

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

  /** The record of a key; null if it was never written, or names no cell. */
  public @Nullable CellRecord record(StoreKey key) {
    CellAddress cell = CellNames.parse(key.key());
    return cell == null
        ? null
        : CellStates.at(read(cell, FBUtilities.nowInSeconds()), cell.clustering(), cell.column());
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
    long now = FBUtilities.nowInSeconds();
    watched()
        .forEach(
            table ->
                scanRecords(
                    table,
                    now,
                    rows -> {
                      try (rows) {
                        CellStates.of(ImmutableBTreePartition.create(rows)).forEach(visitor);
                      }
                    }));
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

  private static void scanRecords(
      TableMetadata table, long now, Consumer<UnfilteredRowIterator> visitor) {
    ReadCommand all = PartitionRangeReadCommand.allDataRead(table, now);
    try (ReadExecutionController controller = all.executionController();
        UnfilteredPartitionIterator partitions = all.executeLocally(controller)) {
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
