package io.palinode.cassandra.node;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mutations of the commit log that a replay did not apply, by table. Logs the first of each
 * table at once, and their number at the end. Thread-safe.
 */
final class ReplayDrops {
  private static final Logger log = LoggerFactory.getLogger(ReplayDrops.class);

  private final Map<String, Long> counts = new ConcurrentHashMap<>();

  /** Returns how many there are of this table, this one among them. */
  long add(String table, long timestamp) {
    long count = counts.merge(table, 1L, Long::sum);
    if (count == 1) {
      log.error(
          "table={} state=DROPPED timestamp={}, ahead of the clock; further ones are counted",
          table,
          timestamp);
    }
    return count;
  }

  /** At the end of the replay. */
  void logTotals() {
    counts.forEach(
        (table, count) ->
            log.error(
                "table={} dropped={}: if a client had an answer for one, repair the table",
                table,
                count));
  }
}
