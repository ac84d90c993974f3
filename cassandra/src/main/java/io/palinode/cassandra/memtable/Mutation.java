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
  private final @Nullable ImmutableBTreePartition old;
  private final long nowInSec;

  private Mutation(PartitionUpdate update, @Nullable ImmutableBTreePartition old, long nowInSec) {
    this.update = update;
    this.old = old;
    this.nowInSec = nowInSec;
  }

  /**
   * Reads the rows that the update will change: a deleted range whole, and a deleted partition too.
   * Without a log it keeps only watched rows of these, and returns null if there are none. Throws
   * {@link io.palinode.cassandra.table.LargeReadException} for a delete of too many bytes.
   */
  static @Nullable Mutation begin(PartitionUpdate update, CassandraNode node) {
    TableMetadata table = update.metadata();
    long now = FBUtilities.nowInSeconds();
    boolean isNamed = node.isLogged() || node.watchesAny(keys(update));
    if (!update.deletionInfo().isLive()) {
      return beginDeletion(update, node, isNamed, now);
    }
    if (!isNamed) {
      return null;
    }
    NavigableSet<Clustering<?>> rows = new TreeSet<>(table.comparator);
    update.forEach(row -> rows.add(row.clustering()));
    return new Mutation(
        update,
        rows.isEmpty()
            ? Tables.read(table, update.partitionKey(), Slices.NONE, now)
            : Tables.read(table, update.partitionKey(), rows, now),
        now);
  }

  /** Only the old rows show what a deletion of many rows changes. */
  private static @Nullable Mutation beginDeletion(
      PartitionUpdate update, CassandraNode node, boolean isNamed, long now) {
    TableMetadata table = update.metadata();
    String partition = CellNames.ofPartition(table, update.partitionKey().getKey());
    if (!node.isLogged() && !isNamed && !node.watchesBelow(LiveCells.below(partition))) {
      return null;
    }
    ImmutableBTreePartition old =
        Tables.readRange(
            table,
            update.partitionKey(),
            deleted(update),
            now,
            row ->
                node.isLogged()
                    || update.getRow(row.clustering()) != null
                    || node.watchesAny(keys(partition, table, row)),
            node.deletedBytesMax());
    if (node.isLogged()) {
      return new Mutation(update, old, now);
    }
    boolean isWatched =
        isNamed
            || (old != null
                && (old.hasRows() || node.watchesAny(keys(partition, table, old.staticRow()))));
    return isWatched ? new Mutation(update, old, now) : null;
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

  private static List<StoreKey> keys(PartitionUpdate update) {
    TableMetadata table = update.metadata();
    String partition = CellNames.ofPartition(table, update.partitionKey().getKey());
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

  /** The keys whose versions the mutation changed. */
  List<Changed> changes() {
    Map<StoreKey, Version> before =
        old == null ? Map.of() : LiveCells.of(old.unfilteredIterator(), nowInSec);
    Map<StoreKey, Version> after =
        LiveCells.of(
            old == null
                ? update.unfilteredIterator()
                : UnfilteredRowIterators.merge(
                    List.of(old.unfilteredIterator(), update.unfilteredIterator())),
            nowInSec);
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
    return CellStates.replaced(old, update);
  }

  /** The keys that have a TTL from now on, by the second in which it ends. */
  Map<Long, List<StoreKey>> expiring() {
    TableMetadata table = update.metadata();
    String partition = CellNames.ofPartition(table, update.partitionKey().getKey());
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
