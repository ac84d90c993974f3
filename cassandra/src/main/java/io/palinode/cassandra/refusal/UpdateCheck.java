package io.palinode.cassandra.refusal;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.cassandra.cql3.Operator;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.ReadCommand;
import org.apache.cassandra.db.RegularAndStaticColumns;
import org.apache.cassandra.db.WriteContext;
import org.apache.cassandra.db.filter.RowFilter;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.IndexRegistry;
import org.apache.cassandra.index.transactions.IndexTransaction;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.IndexMetadata;
import org.apache.cassandra.service.ClientState;
import org.jspecify.annotations.NullUnmarked;

/**
 * A check of each update of a table, before any part of it is applied. Cassandra asks its indexes
 * for that. This one indexes nothing, answers no query, and is in no schema.
 */
@NullUnmarked
final class UpdateCheck implements Index {
  private final IndexMetadata metadata;
  private final Consumer<PartitionUpdate> check;

  private UpdateCheck(IndexMetadata metadata, Consumer<PartitionUpdate> check) {
    this.metadata = metadata;
    this.check = check;
  }

  /** Does nothing if the table has a check of that name. A reload of the table removes checks. */
  static void register(ColumnFamilyStore table, String name, Consumer<PartitionUpdate> check) {
    IndexMetadata metadata =
        IndexMetadata.fromSchemaMetadata(
            name,
            IndexMetadata.Kind.CUSTOM,
            Map.of("class_name", UpdateCheck.class.getName(), "target", ""));
    if (table.indexManager.getIndex(metadata) == null) {
      new UpdateCheck(metadata, check).register(table.indexManager);
    }
  }

  /** Throws {@link org.apache.cassandra.exceptions.InvalidRequestException} to refuse it. */
  @Override
  public void validate(PartitionUpdate update, ClientState client) {
    check.accept(update);
  }

  @Override
  public void register(IndexRegistry registry) {
    registry.registerIndex(this);
  }

  @Override
  public IndexMetadata getIndexMetadata() {
    return metadata;
  }

  @Override
  public Callable<?> getInitializationTask() {
    return null;
  }

  @Override
  public Callable<?> getMetadataReloadTask(IndexMetadata next) {
    return null;
  }

  @Override
  public Optional<ColumnFamilyStore> getBackingTable() {
    return Optional.empty();
  }

  @Override
  public Callable<?> getBlockingFlushTask() {
    return null;
  }

  @Override
  public Callable<?> getInvalidateTask() {
    return null;
  }

  @Override
  public Callable<?> getTruncateTask(long truncatedAt) {
    return null;
  }

  @Override
  public boolean shouldBuildBlocking() {
    return false;
  }

  @Override
  public boolean dependsOn(ColumnMetadata column) {
    return false;
  }

  @Override
  public boolean supportsExpression(ColumnMetadata column, Operator operator) {
    return false;
  }

  @Override
  public AbstractType<?> customExpressionValueType() {
    return null;
  }

  @Override
  public RowFilter getPostIndexQueryFilter(RowFilter filter) {
    return filter;
  }

  @Override
  public long getEstimatedResultRows() {
    return 0;
  }

  @Override
  public Indexer indexerFor(
      DecoratedKey key,
      RegularAndStaticColumns columns,
      long nowInSec,
      WriteContext context,
      IndexTransaction.Type type,
      Memtable memtable) {
    return null;
  }

  @Override
  public Searcher searcherFor(ReadCommand command) {
    throw new UnsupportedOperationException("this index answers no query");
  }
}
