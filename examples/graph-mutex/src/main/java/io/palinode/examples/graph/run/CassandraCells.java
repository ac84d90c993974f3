package io.palinode.examples.graph.run;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.palinode.cql.client.OnRollback;
import io.palinode.cql.client.PalinodeSession;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The cells of a table of Apache Cassandra, with consistency ONE. One client of the driver's
 * session, which stays open. Its servers have {@code PalinodeQueryHandler}.
 */
public final class CassandraCells implements Cells {
  /** Creates the table in the keyspace {@code graph}. */
  public static final String TABLE =
      "CREATE TABLE graph.cells (name text PRIMARY KEY, value text) WITH memtable = 'palinode'";

  private static final long SAFE_POLL_NANOS = 20_000_000;

  private final PalinodeSession session;
  private final Node near;
  private final LongSupplier safePoint;
  private final PreparedStatement select;
  private final PreparedStatement insert;

  /**
   * Blocks until the driver has prepared the statements.
   *
   * @param near the server that all requests of this client pass
   * @param safePoint the newest one of the orchestrator, an HLC: no answer over CQL carries it
   */
  public CassandraCells(CqlSession driver, Node near, LongSupplier safePoint) {
    this.session = PalinodeSession.of(driver, OnRollback.THROW);
    this.near = near;
    this.safePoint = safePoint;
    this.select = driver.prepare("SELECT value FROM graph.cells WHERE name = ?");
    this.insert = driver.prepare("INSERT INTO graph.cells (name, value) VALUES (?, ?)");
  }

  @Override
  public @Nullable String get(String key) {
    Row row = execute(select.bind(key)).one();
    return row == null ? null : row.getString(0);
  }

  @Override
  public long put(String key, String value) {
    return PalinodeSession.answeredAt(execute(insert.bind(key, value)).getExecutionInfo())
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "each server must have PalinodeQueryHandler and watch graph.cells: server="
                        + near.getEndPoint()));
  }

  private ResultSet execute(BoundStatement statement) {
    try {
      return session.execute(statement.setNode(near).setConsistencyLevel(ConsistencyLevel.ONE));
    } catch (io.palinode.cql.client.RolledBackException e) {
      io.palinode.cql.client.RolledBack found = e.rolledBack();
      throw new RolledBackException(
          new RolledBack(found.fromEpoch(), found.toEpoch(), found.target(), 0, found.restart()));
    }
  }

  @Override
  public void awaitSafe(long hlc, Duration timeout) {
    long since = System.nanoTime();
    while (safePoint.getAsLong() < hlc) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted while the safe point was behind");
      }
      if (System.nanoTime() - since > timeout.toNanos()) {
        throw new IllegalStateException(
            "the safe point must pass the last write within " + timeout.toMillis() + " ms");
      }
      LockSupport.parkNanos(SAFE_POLL_NANOS);
    }
    // After a rollback, the safe point passes discarded writes too: a request learns of that.
    var unused = get("any");
  }

  /** The servers send the copies, also after this client is closed. */
  @Override
  public void settle(Duration timeout) {}

  @Override
  public void close() {}
}
