package io.palinode.store.past;

import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.WindowLogConfig;
import io.palinode.retroscope.disklog.DiskLog;
import io.palinode.retroscope.disklog.DiskWatch;
import io.palinode.store.past.PastOnDisk.Log;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The window-logs on disk of a node's stores. Only a store on disk has one: a store in memory is
 * empty after a restart.
 */
public final class DiskLogs {
  private static final Logger logger = LoggerFactory.getLogger(DiskLogs.class);

  /** Reads of deletes use the list in memory. */
  private static final WindowLogConfig DELETES_IN_MEMORY =
      new WindowLogConfig(Duration.ofMinutes(1), 1);

  /** The list of deletes takes at most this part of a window-log's bytes, besides those. */
  private static final int DELETES_PART = 4;

  private final List<StoreSpec> specs;
  private final PastEvents events;
  private final Map<String, Map<Log, DiskLog>> byStore = new LinkedHashMap<>();

  /**
   * Finds the logs of the stores.
   *
   * @param where null: no log is on disk
   * @param incarnation the last one, in which the logs must have been open
   */
  public DiskLogs(
      int node,
      List<StoreSpec> stores,
      @Nullable PastOnDisk where,
      long incarnation,
      PastEvents events) {
    this.specs = List.copyOf(stores);
    this.events = events;
    if (where == null) {
      return;
    }
    for (StoreSpec store : stores) {
      if (store.isOnDisk()) {
        Map<Log, DiskLog> logs = new EnumMap<>(Log.class);
        for (Log log : Log.values()) {
          logs.put(log, open(node, store.name(), log, where, incarnation, events));
        }
        byStore.put(store.name(), logs);
      }
    }
  }

  private static DiskLog open(
      int node, String store, Log log, PastOnDisk where, long incarnation, PastEvents events) {
    String label =
        "node=%d store=%s log=%s".formatted(node, store, log.name().toLowerCase(Locale.ROOT));
    return DiskLog.open(
        where.volumes().of(store, log), where.bound(log), label, incarnation, watch(label, events));
  }

  private static DiskWatch watch(String label, PastEvents events) {
    return new DiskWatch() {
      @Override
      public void lost(String what) {
        events.logLost().run();
        logger.warn("{} phase=WINDOW_LOG_LOST {}", label, what);
      }

      @Override
      public void repaired(String what) {
        logger.info("{} phase=WINDOW_LOG_WORKS {}", label, what);
      }
    };
  }

  /** The time of the last entry in any log; 0 if there is none. */
  public long last() {
    return byStore.values().stream()
        .flatMap(logs -> logs.values().stream())
        .mapToLong(DiskLog::last)
        .max()
        .orElse(0);
  }

  /** Call after the engine has committed the incarnation. */
  public void begin(long incarnation) {
    byStore.values().forEach(logs -> logs.values().forEach(each -> each.begin(incarnation)));
  }

  /**
   * The stores with their logs, continued at {@code openedAt}.
   *
   * @param from the earliest time in reach of a log in memory
   */
  public List<LocalStore> open(WindowLogConfig memory, long openedAt, long from) {
    return specs.stream()
        .map(
            spec ->
                new LocalStore(
                    spec,
                    past(spec.name(), memory, from),
                    new Deletes(
                        memory.bytesMax() / DELETES_PART,
                        events.deleteForgotten(),
                        deletes(spec.name(), openedAt))))
        .toList();
  }

  /** A log of a store, continued at {@code openedAt}; null if it is not on disk. */
  private @Nullable WindowLog opened(String store, Log log, WindowLogConfig memory, long openedAt) {
    DiskLog disk = byStore.getOrDefault(store, Map.of()).get(log);
    return disk == null ? null : new WindowLog(memory, openedAt, Runnable::run, disk);
  }

  /** The window-log of a store. */
  private WindowLog past(String store, WindowLogConfig memory, long openedAt) {
    WindowLog opened = opened(store, Log.CHANGES, memory, openedAt);
    return opened == null ? new WindowLog(memory, openedAt) : opened;
  }

  /** The deletes of a store; null if they are in memory only. */
  private @Nullable WindowLog deletes(String store, long openedAt) {
    return opened(store, Log.DELETES, DELETES_IN_MEMORY, openedAt);
  }
}
