package io.palinode.examples.graph.run;

import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A sequentially consistent store that can be rolled back to any time. Times count writes.
 * Thread-safe.
 */
final class HistoryStore {
  private final Map<String, TreeMap<Long, String>> versions = new HashMap<>();
  private final List<HistoryCells> clients = new ArrayList<>();
  private final List<Long> safeQuestions = new ArrayList<>();
  private LongConsumer onOperation = operation -> {};
  private long operations;
  private long now;
  private long epoch;
  private int settled;

  /** Called with the number of each operation, before it is done. */
  void onOperation(LongConsumer action) {
    onOperation = action;
  }

  synchronized Cells connect() {
    HistoryCells cells = new HistoryCells();
    clients.add(cells);
    return cells;
  }

  synchronized @Nullable String value(String key) {
    TreeMap<Long, String> values = versions.get(key);
    return values == null || values.isEmpty() ? null : values.lastEntry().getValue();
  }

  synchronized long write(String key, String value) {
    versions.computeIfAbsent(key, k -> new TreeMap<>()).put(++now, value);
    return now;
  }

  synchronized int writes(String key) {
    TreeMap<Long, String> values = versions.get(key);
    return values == null ? 0 : values.size();
  }

  synchronized long now() {
    return now;
  }

  /** All clients learn of it at their next call. */
  synchronized void takeBackTo(long target) {
    versions.values().forEach(values -> values.tailMap(target, false).clear());
    epoch++;
    for (HistoryCells client : clients) {
      client.news = new RolledBack(epoch - 1, epoch, target, 0);
    }
  }

  /** How often a client waited for its writes to reach all replicas. */
  synchronized int settled() {
    return settled;
  }

  /** The arguments of {@code awaitSafe}. */
  synchronized List<Long> safeQuestions() {
    return List.copyOf(safeQuestions);
  }

  private final class HistoryCells implements Cells {
    private @Nullable RolledBack news;

    @Override
    public @Nullable String get(String key) {
      synchronized (HistoryStore.this) {
        begin();
        return value(key);
      }
    }

    @Override
    public long put(String key, String value) {
      synchronized (HistoryStore.this) {
        begin();
        return write(key, value);
      }
    }

    @Override
    public void awaitSafe(long hlc, Duration timeout) {
      synchronized (HistoryStore.this) {
        begin();
        safeQuestions.add(hlc);
      }
    }

    @Override
    public void settle(Duration timeout) {
      synchronized (HistoryStore.this) {
        settled++;
      }
    }

    @Override
    public void close() {}

    private void begin() {
      onOperation.accept(operations++);
      RolledBack rolledBack = news;
      if (rolledBack != null) {
        news = null;
        throw new RolledBackException(rolledBack);
      }
    }
  }
}
