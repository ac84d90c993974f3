package io.palinode.cassandra.memtable;

import io.palinode.cassandra.node.ServerNode;
import io.palinode.cassandra.request.PeerMessages;
import io.palinode.cassandra.request.RequestState;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.cassandra.db.CassandraKeyspaceWriteHandler;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.memtable.SkipListMemtable;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the memtables of the tables that chose to be watched. */
public final class WatchedMemtables implements Memtable.Factory {
  private static final Logger log = LoggerFactory.getLogger(WatchedMemtables.class);
  private static final StackWalker CALLER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private final ServerNode server;
  private final Turns turns = new Turns();
  private final Expiries expiries;
  private final Set<TableId> tables = ConcurrentHashMap.newKeySet();

  private WatchedMemtables(ServerNode server) {
    this.server = server;
    this.expiries = new Expiries(server, turns);
  }

  /** See {@link io.palinode.cassandra.PalinodeMemtable#factory}. */
  public static Memtable.Factory factory(Map<String, String> parameters) {
    return new WatchedMemtables(ServerNode.of(parameters, WatchedMemtables::isChosen));
  }

  private static boolean isChosen(TableMetadata table) {
    return table.params.memtable.factory() instanceof WatchedMemtables;
  }

  @Override
  public Memtable create(
      AtomicReference<CommitLogPosition> commitLogLowerBound,
      TableMetadataRef table,
      Memtable.Owner owner) {
    server.start(() -> PeerMessages.follow(server));
    String refusal = server.refusals().of(table.get());
    if (refusal != null) {
      log.error("table={} state=NOT_WATCHED: {}", table, refusal);
      return SkipListMemtable.FACTORY.create(commitLogLowerBound, table, owner);
    }
    // A table that is being created has no tracker, and no file to lose, before its first flush.
    if (owner instanceof ColumnFamilyStore store && store.getTracker() != null) {
      server.tables().follow(store);
    }
    if (tables.add(table.get().id) || !(owner.getCurrentMemtable() instanceof WatchedMemtable)) {
      // Another memtable took the earlier mutations of the table.
      server.unlogged();
    }
    return new WatchedMemtable(commitLogLowerBound, table, owner, server, turns, expiries);
  }

  /** {@inheritDoc} So that streamed repairs are announced too. */
  @Override
  public boolean streamToMemtable() {
    return true;
  }

  /**
   * Always false. Cassandra asks for each table of a mutation, in the mutation's thread, before its
   * commit log has the mutation. While the node is paused, and for a mutation of another epoch,
   * this refuses it: a mutation that the memtable refuses would come back at a restart. Throws
   * {@link PausedException}.
   */
  @Override
  public boolean writesShouldSkipCommitLog() {
    // A change of the schema asks too.
    if ((server.isPaused() || RequestState.isRefused(server))
        && CALLER.getCallerClass() == CassandraKeyspaceWriteHandler.class) {
      throw new PausedException();
    }
    return false;
  }

  /** Cassandra compares factories; those of one server are alike. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WatchedMemtables factory && factory.server == server;
  }

  @Override
  public int hashCode() {
    return Objects.hash(server);
  }
}
