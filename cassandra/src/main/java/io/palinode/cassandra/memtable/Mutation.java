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

  /** Reads what the update will change; null if no predicate and no log needs it. */
  static @Nullable Mutation begin(PartitionUpdate update, CassandraNode node) {
    TableMetadata table = update.metadata();
    long now = FBUtilities.nowInSeconds();
    if (deletes(update)) {
      // Only the old rows show what a deletion changes.
      return new Mutation(update, Tables.read(table, update.partitionKey(), Slices.ALL, now), now);
    }
    NavigableSet<Clustering<?>> rows = new TreeSet<>(table.comparator);
    if (!node.watchesAny(keys(update, rows)) && !node.isLogged()) {
      return null;
    }
    return new Mutation(
        update,
        rows.isEmpty()
            ? Tables.read(table, update.partitionKey(), Slices.NONE, now)
            : Tables.read(table, update.partitionKey(), rows, now),
        now);
  }

  private static boolean deletes(PartitionUpdate update) {
    if (!update.deletionInfo().isLive()) {
      return true;
    }
    for (Row row : update) {
      if (!row.deletion().isLive()) {
        return true;
      }
    }
    return false;
  }

  private static List<StoreKey> keys(PartitionUpdate update, NavigableSet<Clustering<?>> rows) {
    TableMetadata table = update.metadata();
    String partition = CellNames.ofPartition(table, update.partitionKey().getKey());
    List<StoreKey> keys = new ArrayList<>();
    LiveCells.visitKeys(partition, table, update.staticRow(), keys::add);
    for (Row row : update) {
      rows.add(row.clustering());
      LiveCells.visitKeys(partition, table, row, keys::add);
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
