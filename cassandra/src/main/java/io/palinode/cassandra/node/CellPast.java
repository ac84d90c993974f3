package io.palinode.cassandra.node;

import io.palinode.cassandra.record.CellRecord;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The cells of this server's own copy at earlier times. Thread-safe. */
final class CellPast {
  private final CassandraNode node;
  private final Tables tables;

  CellPast(CassandraNode node, Tables tables) {
    this.node = node;
    this.tables = tables;
  }

  /**
   * The bytes that a predicate compared at {@code hlc}; null if the cell was absent. Throws {@link
   * io.palinode.retroscope.OutOfReachException}, {@link
   * io.palinode.retroscope.snapshot.file.HalfUndoneException}, and {@link IllegalArgumentException}
   * with the reason if this server does not know the cell at that time.
   */
  byte @Nullable [] get(StoreKey key, long hlc) {
    if (!node.isLogged()) {
      throw new IllegalArgumentException(node.watchedOnly() + ", so it keeps no past");
    }
    byte[] record = node.history().getAsOf(key.store(), key.key(), hlc);
    Version found = record == null ? null : version(key, record, hlc);
    tables.requirePast(key, hlc, found != null);
    requireReplica(key);
    return found == null ? null : found.value();
  }

  /** The same in this server's part of a snapshot. */
  byte @Nullable [] in(StoreKey key, OpenSnapshot snapshot) {
    tables.requireWatched(key);
    requireReplica(key);
    byte[] record = snapshot.get(key.store(), key.key());
    Version found = record == null ? null : version(key, record, snapshot.hlc());
    return found == null ? null : found.value();
  }

  private void requireReplica(StoreKey key) {
    List<Integer> replicas = node.replicas(key);
    if (!replicas.contains(node.node())) {
      throw new IllegalArgumentException(
          "node %d has no copy of this key; ask one of %s".formatted(node.node(), replicas));
    }
  }

  private static @Nullable Version version(StoreKey key, byte[] record, long hlc) {
    long second = TimeUnit.MICROSECONDS.toSeconds(Hlc.micros(hlc));
    return LiveCells.version(key, CellRecord.decode(record), second);
  }
}
