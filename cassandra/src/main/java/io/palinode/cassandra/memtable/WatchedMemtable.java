package io.palinode.cassandra.memtable;

import io.palinode.cassandra.node.CassandraNode;
import io.palinode.cassandra.node.ServerNode;
import io.palinode.cassandra.node.Timestamps;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.index.transactions.UpdateTransaction;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.utils.concurrent.OpOrder;
import org.jspecify.annotations.Nullable;

/**
 * Cassandra's default memtable, which also announces each mutation. A failure to announce one is
 * counted and published as a coverage gap; it never fails the mutation.
 */
final class WatchedMemtable extends SkipListMemtable {
  private final ServerNode server;
  private final Turns turns;
  private final Expiries expiries;

  WatchedMemtable(
      AtomicReference<CommitLogPosition> commitLogLowerBound,
      TableMetadataRef table,
      Owner owner,
      ServerNode server,
      Turns turns,
      Expiries expiries) {
    super(commitLogLowerBound, table, owner);
    this.server = server;
    this.turns = turns;
    this.expiries = expiries;
  }

  /** {@inheritDoc} Also if its table is no longer watched, such as for a new column. */
  @Override
  public boolean shouldSwitch(ColumnFamilyStore.FlushReason reason) {
    return super.shouldSwitch(reason)
        || (reason == ColumnFamilyStore.FlushReason.SCHEMA_CHANGE && !isStillWatched());
  }

  private boolean isStillWatched() {
    return server.refusals().isWatched(metadata());
  }

  @Override
  public void switchOut(
      OpOrder.Barrier barrier, AtomicReference<CommitLogPosition> commitLogUpperBound) {
    super.switchOut(barrier, commitLogUpperBound);
    if (!isStillWatched()) {
      // Another memtable takes the later mutations of the table.
      server.unlogged();
    }
  }

  @Override
  public long put(PartitionUpdate update, UpdateTransaction indexer, OpOrder.Group group) {
    if (server.isOwnWrite()) {
      return super.put(update, indexer, group);
    }
    Timestamps timestamps = server.timestamps();
    CassandraNode node = server.watching();
    if (node == null) {
      if (timestamps != null && timestamps.isAhead(update.maxTimestamp()) && server.isReplaying()) {
        // It was refused when it came, or accepted by a clock that was ahead, or before its table
        // was restored. The commit log does not show which.
        server.droppedInReplay(update.metadata().toString(), update.maxTimestamp());
        return Long.MAX_VALUE;
      }
      if (timestamps != null) {
        timestamps.applied(update.maxTimestamp());
      }
      return super.put(update, indexer, group);
    }
    node.enter(group::isBlocking);
    try {
      if (node.isPaused()) {
        // A streamed one, or of a keyspace without durable writes: no commit log has it.
        throw new PausedException();
      }
      if (timestamps != null) {
        timestamps.require(update.maxTimestamp());
        timestamps.applied(update.maxTimestamp());
      }
      ReentrantLock turn =
          turns.take(update.metadata().id, update.partitionKey(), group::isBlocking);
      if (turn == null) {
        long delta = super.put(update, indexer, group);
        server.missed();
        return delta;
      }
      try {
        return put(update, indexer, group, node);
      } finally {
        turn.unlock();
      }
    } finally {
      node.leave();
    }
  }

  private long put(
      PartitionUpdate update, UpdateTransaction indexer, OpOrder.Group group, CassandraNode node) {
    Begun begun = begun(update, node);
    Mutation mutation = begun.mutation();
    boolean isApplied = false;
    try {
      long delta = super.put(update, indexer, group);
      isApplied = true;
      return delta;
    } finally {
      if (mutation != null && isApplied) {
        announce(mutation, update.partitionKey(), node);
      } else if (mutation != null || begun.isMissed()) {
        // After the mutation: a gap that is published before does not cover it.
        server.missed();
      }
    }
  }

  /**
   * A mutation before it is applied.
   *
   * @param mutation null if no predicate watches it, or if its rows cannot be read
   * @param isMissed whether its rows cannot be read
   */
  private record Begun(@Nullable Mutation mutation, boolean isMissed) {}

  private Begun begun(PartitionUpdate update, CassandraNode node) {
    try {
      return new Begun(Mutation.begin(update, node), false);
    } catch (RuntimeException | StackOverflowError e) {
      server.failed(e);
      return new Begun(null, true);
    }
  }

  private void announce(Mutation mutation, DecoratedKey partition, CassandraNode node) {
    try {
      node.changed(mutation.changes(), node.isLogged() ? mutation.replaced() : List.of());
      mutation
          .expiring()
          .forEach((second, keys) -> expiries.at(second, metadata(), partition, keys));
    } catch (RuntimeException | StackOverflowError e) {
      server.failed(e);
    }
  }
}
