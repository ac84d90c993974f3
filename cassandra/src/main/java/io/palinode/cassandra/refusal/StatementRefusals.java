package io.palinode.cassandra.refusal;

import io.palinode.store.binding.UndoLog.KeyRecord;
import java.lang.StackWalker.StackFrame;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.cassandra.cql3.ColumnIdentifier;
import org.apache.cassandra.cql3.statements.CQL3CasRequest;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.SystemKeyspace;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.UUIDType;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.SchemaChangeListener;
import org.apache.cassandra.schema.SchemaConstants;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Refuses statements on restored tables whose writes a rollback could not discard. The client
 * receives the reason.
 *
 * <ul>
 *   <li>A lightweight transaction, before its coordinator proposes anything. A replica also refuses
 *       to save a proposal: one that began before the table was restored, or at a server that does
 *       not refuse yet.
 *   <li>A value that is too large for the control log.
 * </ul>
 *
 * Thread-safe.
 */
public final class StatementRefusals {
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /**
   * The check, Cassandra's registry of checks and the transaction are among the first four, this
   * method included. Twelve frames cost twice as much.
   */
  private static final int CALLERS = 6;

  private static final String STATEMENTS_CHECK = "palinode_refuses_statements";
  private static final String PROPOSALS_CHECK = "palinode_refuses_proposals";

  /** Leaves room for the key. */
  private static final int CELL_BYTES_MAX = KeyRecord.BYTES_MAX - (1 << 20);

  private final Predicate<TableMetadata> restored;

  /**
   * @param restored whether a rollback may restore a table
   */
  public StatementRefusals(Predicate<TableMetadata> restored) {
    this.restored = restored;
  }

  /** Refuses proposals from now on. Throws if this release of Cassandra saves them elsewhere. */
  public void refuseProposals() {
    ColumnFamilyStore proposals =
        Keyspace.open(SchemaConstants.SYSTEM_KEYSPACE_NAME)
            .getColumnFamilyStore(SystemKeyspace.PAXOS);
    for (String column : new String[] {"proposal", "proposal_version"}) {
      if (column(proposals.metadata(), column) == null) {
        throw new IllegalStateException("system.paxos must have the column " + column);
      }
    }
    UpdateCheck.register(proposals, PROPOSALS_CHECK, this::requireNoProposal);
  }

  /** Refuses statements on these tables, and on those that are created or altered from now on. */
  public void refuseStatements(Stream<TableMetadata> now) {
    Schema.instance.registerListener(
        new SchemaChangeListener() {
          @Override
          public void onCreateTable(TableMetadata table) {
            refuseStatements(table);
          }

          @Override
          public void onAlterTable(TableMetadata before, TableMetadata after, boolean isAffecting) {
            refuseStatements(after);
          }
        });
    now.forEach(this::refuseStatements);
  }

  /** A reload of a table, as by an ALTER, has removed its check. */
  private void refuseStatements(TableMetadata table) {
    ColumnFamilyStore store =
        restored.test(table) ? Schema.instance.getColumnFamilyStoreInstance(table.id) : null;
    if (store != null) {
      UpdateCheck.register(store, STATEMENTS_CHECK, this::requireRestorable);
    }
  }

  private void requireRestorable(PartitionUpdate update) {
    if (!restored.test(update.metadata())) {
      return;
    }
    if (STACK.walk(StatementRefusals::isConditional)) {
      throw transaction(update.metadata());
    }
    if (update.dataSize() > CELL_BYTES_MAX) {
      requireSmall(update.staticRow());
      update.forEach(StatementRefusals::requireSmall);
    }
  }

  private static void requireSmall(Row row) {
    for (Cell<?> cell : row.cells()) {
      if (cell.valueSize() > CELL_BYTES_MAX) {
        throw new InvalidRequestException(
            "a value of column '%s' must have at most %d bytes, because rollbacks restore this table: %d"
                .formatted(cell.column().name, CELL_BYTES_MAX, cell.valueSize()));
      }
    }
  }

  private static boolean isConditional(Stream<StackFrame> callers) {
    return callers
        .limit(CALLERS)
        .anyMatch(frame -> frame.getDeclaringClass() == CQL3CasRequest.class);
  }

  private void requireNoProposal(PartitionUpdate update) {
    for (Row row : update) {
      TableMetadata table =
          Schema.instance.getTableMetadata(
              TableId.fromUUID(UUIDType.instance.compose(row.clustering().bufferAt(0))));
      if (table != null && restored.test(table) && proposesChange(update.metadata(), row)) {
        throw transaction(table);
      }
    }
  }

  /** A read at SERIAL proposes too, but no change. */
  private static boolean proposesChange(TableMetadata paxos, Row row) {
    ByteBuffer proposal = value(paxos, row, "proposal");
    ByteBuffer version = value(paxos, row, "proposal_version");
    return proposal != null
        && (version == null
            || !PartitionUpdate.fromBytes(proposal.duplicate(), Int32Type.instance.compose(version))
                .isEmpty());
  }

  private static @Nullable ByteBuffer value(TableMetadata paxos, Row row, String name) {
    ColumnMetadata column = column(paxos, name);
    Cell<?> cell = column == null ? null : row.getCell(column);
    return cell == null || cell.isTombstone() ? null : cell.buffer();
  }

  private static @Nullable ColumnMetadata column(TableMetadata table, String name) {
    return table.getColumn(ColumnIdentifier.getInterned(name, true));
  }

  private static InvalidRequestException transaction(TableMetadata table) {
    return new InvalidRequestException(
        "a statement on %s must have no IF, because rollbacks restore this table: a lightweight transaction may end after one"
            .formatted(table));
  }
}
