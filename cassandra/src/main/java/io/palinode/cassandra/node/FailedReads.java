package io.palinode.cassandra.node;

import io.palinode.cassandra.table.LargeReadException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.cassandra.db.RejectException;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.utils.NoSpamLogger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads that Cassandra itself refuses or cannot do, such as one of too many tombstones, and those
 * of too many bytes. They follow from the data, and are no failures of the node. Thread-safe.
 */
final class FailedReads {
  private static final Logger log = LoggerFactory.getLogger(FailedReads.class);

  // Its own line: that of another reason may have been logged just before.
  private static final String LARGE = "deletes={} state=NOT_WATCHED: {}";
  private static final String FAILED = "reads={} state=FAILED, their mutations are not watched: {}";

  private final AtomicLong count = new AtomicLong();
  private final AtomicLong large = new AtomicLong();

  static boolean isOne(Throwable failure) {
    for (@Nullable Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof RejectException
          || each instanceof CorruptSSTableException
          || each instanceof LargeReadException) {
        return true;
      }
    }
    return false;
  }

  /** Counts it, and logs it at most once a minute. */
  void add(Throwable failure) {
    if (failure instanceof LargeReadException) {
      warn(LARGE, large.incrementAndGet(), failure.getMessage());
    } else {
      warn(FAILED, count.incrementAndGet(), failure.toString());
    }
  }

  private static void warn(String line, long total, @Nullable String why) {
    NoSpamLogger.log(
        log, NoSpamLogger.Level.WARN, 1, TimeUnit.MINUTES, line, total, String.valueOf(why));
  }
}
