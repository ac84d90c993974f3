package io.palinode.cassandra.memtable;

import io.palinode.cassandra.node.CassandraNode;
import io.palinode.cassandra.node.CassandraNode.Changed;
import io.palinode.cassandra.table.CellNames;
import io.palinode.cassandra.table.CellStates;
import io.palinode.cassandra.table.CellStates.Replaced;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.Slice;
import org.apache.cassandra.db.Slices;
import org.apache.cassandra.db.partitions.ImmutableBTreePartition;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterators;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.FBUtilities;
import org.jspecify.annotations.Nullable;

/**
 * One mutation of a partition, with the rows that it is about to change. What it leaves follows
 * from both by Cassandra's own merge, so one read is enough.
 */
final class Mutation {
  private final PartitionUpdate update;
  private final String partition;
  private final @Nullable ImmutableBTreePartition old;
  private final boolean isWatched;

  private Mutation(
      PartitionUpdate update,
      String partition,
      @Nullable ImmutableBTreePartition old,
      boolean isWatched) {
    this.update = update;
    this.partition = partition;
    this.old = old;
    this.isWatched = isWatched;
  }

  /**
   * Reads the rows that the update will change: a deleted range whole, and a deleted partition too.
   * Without a log it keeps only watched rows of these, and returns null if there are none. Throws
   * {@link io.palinode.cassandra.table.LargeReadException} for a delete of too many bytes.
   */
  static @Nullable Mutation begin(PartitionUpdate update, CassandraNode node) {
    TableMetadata table = update.metadata();
    String partition = CellNames.ofPartition(table, update.partitionKey().getKey());
    long second = node.readSecond();
    boolean isNamed = node.watchesAny(() -> keys(partition, update));
    if (!update.deletionInfo().isLive()) {
      return beginDeletion(update, partition, node, isNamed, second);
    }
    if (!isNamed && !node.isLogged()) {
      return null;
    }
    NavigableSet<Clustering<?>> rows = new TreeSet<>(table.comparator);
    update.forEach(row -> rows.add(row.clustering()));
    return new Mutation(
        update,
        partition,
        rows.isEmpty()
            ? Tables.read(table, update.partitionKey(), Slices.NONE, second)
            : Tables.read(table, update.partitionKey(), rows, second),
        isNamed);
  }

  /** Only the old rows show what a deletion of many rows changes. */
  private static @Nullable Mutation beginDeletion(
      PartitionUpdate update, String partition, CassandraNode node, boolean isNamed, long second) {
    TableMetadata table = update.metadata();
    if (!node.isLogged() && !isNamed && !node.watchesBelow(LiveCells.below(partition))) {
      return null;
    }
    ImmutableBTreePartition old =
        Tables.readRange(
            table,
            update.partitionKey(),
            deleted(update),
            second,
            row ->
                node.isLogged()
                    || update.getRow(row.clustering()) != null
                    || node.watchesAny(() -> keys(partition, table, row)),
            node.deletedBytesMax());
    if (node.isLogged()) {
      return new Mutation(update, partition, old, true);
    }
    boolean isWatched =
        isNamed
            || (old != null
                && (old.hasRows()
                    || node.watchesAny(() -> keys(partition, table, old.staticRow()))));
    return isWatched ? new Mutation(update, partition, old, true) : null;
  }

  /** The rows that an update deletes or writes. */
  private static Slices deleted(PartitionUpdate update) {
    if (!update.deletionInfo().getPartitionDeletion().isLive()) {
      return Slices.ALL;
    }
    Slices.Builder slices = new Slices.Builder(update.metadata().comparator);
    update
        .deletionInfo()
        .rangeIterator(false)
        .forEachRemaining(range -> slices.add(range.deletedSlice()));
    update.forEach(row -> slices.add(Slice.make(row.clustering())));
    return slices.build();
  }

  private static List<StoreKey> keys(String partition, PartitionUpdate update) {
    TableMetadata table = update.metadata();
    List<StoreKey> keys = new ArrayList<>(keys(partition, table, update.staticRow()));
    update.forEach(row -> keys.addAll(keys(partition, table, row)));
    return keys;
  }

  /** The keys of a row's cells, or those of all its columns if it is deleted. */
  private static List<StoreKey> keys(String partition, TableMetadata table, Row row) {
    List<StoreKey> keys = new ArrayList<>();
    if (row.deletion().isLive()) {
      LiveCells.visitKeys(partition, table, row, keys::add);
    } else {
      LiveCells.visitKeys(partition, table, row.clustering(), keys::add);
    }
    return keys;
  }

  /** The keys whose versions the mutation changed; none if no predicate watches one. */
  List<Changed> changes() {
    if (!isWatched) {
      return List.of();
    }
    long now = FBUtilities.nowInSeconds();
    Map<StoreKey, Version> before =
        old == null ? Map.of() : LiveCells.of(old.unfilteredIterator(), now);
    Map<StoreKey, Version> after =
        LiveCells.of(
            old == null
                ? update.unfilteredIterator()
                : UnfilteredRowIterators.merge(
                    List.of(old.unfilteredIterator(), update.unfilteredIterator())),
            now);
    List<Changed> changes = new ArrayList<>();
    before.forEach(
        (key, version) -> {
          if (!after.containsKey(key)) {
            changes.add(new Changed(key, null));
          }
        });
    after.forEach(
        (key, version) -> {
          if (!version.equals(before.get(key))) {
            changes.add(new Changed(key, version));
          }
        });
    return changes;
  }

  /** The keys that it changes, with their records before it. */
  List<Replaced> replaced() {
    return CellStates.replaced(old, update, partition);
  }

  /** The keys that have a TTL from now on, by the second in which it ends. */
  Map<Long, List<StoreKey>> expiring() {
    TableMetadata table = update.metadata();
    Map<Long, List<StoreKey>> keys = new TreeMap<>();
    BiConsumer<Long, StoreKey> add =
        (second, key) -> keys.computeIfAbsent(second, any -> new ArrayList<>()).add(key);
    LiveCells.visitExpiring(partition, table, update.staticRow(), add);
    for (Row row : update) {
      LiveCells.visitExpiring(partition, table, row, add);
    }
    return keys;
  }
}
