package io.palinode.cassandra.table;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.notifications.INotification;
import org.apache.cassandra.notifications.INotificationConsumer;
import org.apache.cassandra.notifications.SSTableListChangedNotification;
import org.apache.cassandra.notifications.TruncationNotification;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.FBUtilities;

/**
 * When tables lost cells without a mutation. A compaction makes a cell whose TTL has ended a
 * tombstone, without its value. A truncation removes all cells. Thread-safe.
 */
final class LostCells {
  private final Map<TableId, Followed> tables = new ConcurrentHashMap<>();
  private volatile LongSupplier hlc = () -> 0;
  private volatile long tableLostAt;

  private final class Followed implements INotificationConsumer {
    private final ColumnFamilyStore table;
    private volatile long ttlsLostAt;
    private volatile long truncatedAt;

    Followed(ColumnFamilyStore table) {
      this.table = table;
    }

    @Override
    public void handleNotification(INotification event, Object sender) {
      if (event instanceof SSTableListChangedNotification changed
          && haveEndedTtls(changed.removed)) {
        ttlsLostAt = hlc.getAsLong();
      } else if (event instanceof TruncationNotification) {
        truncatedAt = hlc.getAsLong();
      }
    }

    /** Also while a compaction runs: reads may see its results before it ends. */
    boolean hasLostTtlsAfter(long time) {
      // In this order: the end of a compaction is noted before it is no longer running.
      return haveEndedTtls(table.getTracker().getCompacting()) || time < ttlsLostAt;
    }
  }

  private static boolean haveEndedTtls(Collection<SSTableReader> parts) {
    long now = FBUtilities.nowInSeconds();
    return parts.stream()
        .anyMatch(part -> part.getMaxTTL() > 0 && part.getMinLocalDeletionTime() <= now);
  }

  /** The clock of the node from now on. */
  void begin(LongSupplier clock) {
    hlc = clock;
  }

  /** Does nothing if it is followed. */
  void follow(ColumnFamilyStore table) {
    tables.computeIfAbsent(
        table.metadata().id,
        id -> {
          Followed followed = new Followed(table);
          table.getTracker().subscribe(followed);
          return followed;
        });
  }

  /** A watched table was dropped, or is not watched any more. */
  void lostTable() {
    tableLostAt = hlc.getAsLong();
  }

  boolean hasLostTableAfter(long time) {
    return time < tableLostAt;
  }

  /** Whether it may have lost a value that a read at {@code time} returned. */
  boolean hasLostTtls(TableMetadata table, long time) {
    Followed followed = tables.get(table.id);
    return followed != null && followed.hasLostTtlsAfter(time);
  }

  boolean isTruncatedAfter(TableMetadata table, long time) {
    Followed followed = tables.get(table.id);
    return followed != null && time < followed.truncatedAt;
  }
}
