package io.palinode.cassandra.memtable;

import io.palinode.cassandra.node.CassandraNode;
import io.palinode.cassandra.node.CassandraNode.Changed;
import io.palinode.cassandra.node.ServerNode;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.store.hosted.ExpiryQueue;
import io.palinode.store.hosted.JoinedDetector;
import io.palinode.wire.Repeated;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.NoSpamLogger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at keys when their TTL has ended, which is no mutation. Beyond 64 MiB of keys it forgets
 * those that end last. Thread-safe.
 */
final class Expiries {
  private static final Logger log = LoggerFactory.getLogger(Expiries.class);
  private static final long PENDING_BYTES_MAX = 64L << 20;

  /** Above what the objects of a group of keys take, and those of one key. */
  private static final long GROUP_BYTES = 256;

  private static final long KEY_BYTES = 64;

  /** A cell has ended once its second has begun by the clock of this server. */
  private static final long MARGIN_SECONDS = 1;

  private final ServerNode server;
  private final Turns turns;
  private final ExpiryQueue<Ending> pending = new ExpiryQueue<>(PENDING_BYTES_MAX);
  private final AtomicLong forgotten = new AtomicLong();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> JoinedDetector.daemon(work, "palinode-expiry"));

  /** Keys of one partition. Refers to no memtable and to no buffer of a request. */
  private record Ending(TableId table, DecoratedKey partition, List<StoreKey> keys) {
    static Ending of(TableMetadata table, DecoratedKey partition, List<StoreKey> keys) {
      return new Ending(
          table.id,
          table.partitioner.decorateKey(ByteBufferUtil.clone(partition.getKey())),
          List.copyOf(keys));
    }

    long bytes() {
      long bytes = GROUP_BYTES + partition.getKeyLength();
      for (StoreKey key : keys) {
        bytes += KEY_BYTES + key.key().length;
      }
      return bytes;
    }
  }

  Expiries(ServerNode server, Turns turns) {
    this.server = server;
    this.turns = turns;
    var unused =
        thread.scheduleWithFixedDelay(
            new Repeated("palinode-expiry", this::lookAtEnded), 1, 1, TimeUnit.SECONDS);
  }

  /** Announces what these keys have once {@code second} has begun. */
  void at(long second, TableMetadata table, DecoratedKey partition, List<StoreKey> keys) {
    Ending ending = Ending.of(table, partition, keys);
    int dropped = pending.add(second, ending, ending.bytes());
    if (dropped > 0) {
      NoSpamLogger.log(
          log,
          NoSpamLogger.Level.WARN,
          1,
          TimeUnit.MINUTES,
          "ttls={} state=FORGOTTEN limit={} bytes, they end with the next write of their row",
          forgotten.addAndGet(dropped),
          PENDING_BYTES_MAX);
    }
  }

  private void lookAtEnded() {
    List<Ending> due = pending.due(FBUtilities.nowInSeconds() - MARGIN_SECONDS);
    int looked = 0;
    try {
      for (Ending each : due) {
        look(each);
        looked++;
      }
    } finally {
      if (looked < due.size()) {
        // Out of memory: the others are forgotten.
        server.missed();
      }
    }
  }

  private void look(Ending ending) {
    CassandraNode node = server.watching();
    if (node == null) {
      return;
    }
    node.enter(() -> false);
    try {
      ReentrantLock turn = turns.take(ending.table(), ending.partition(), () -> false);
      if (turn == null) {
        server.missed();
        return;
      }
      try {
        node.changed(ending.keys().stream().map(key -> now(key, node)).toList(), List.of());
      } finally {
        turn.unlock();
      }
    } catch (RuntimeException e) {
      server.failed(e);
    } finally {
      node.leave();
    }
  }

  private static Changed now(StoreKey key, CassandraNode node) {
    List<Version> versions = node.siblings(key);
    return new Changed(key, versions.isEmpty() ? null : versions.get(0));
  }
}
