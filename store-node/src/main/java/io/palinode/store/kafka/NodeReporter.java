package io.palinode.store.kafka;

import io.palinode.detector.binding.NodeHealth;
import io.palinode.store.binding.UndoLog;
import io.palinode.wire.Build;
import io.palinode.wire.ControlRecordCheck;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.KeysNotRestored;
import io.palinode.wire.v1.NodeReport;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the health of a node's clock, storage and agent, in its own thread, so also while a
 * control duty fails. At most one record is in flight: after an outage of Kafka, at most one is
 * late.
 */
final class NodeReporter implements AutoCloseable {
  static final Duration EVERY = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(NodeReporter.class);
  private static final int OFF_CHARS_MAX = 300;
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final UndoLog store;
  private final LongSupplier epochMicros;
  private final ControlPublisher publisher;
  private final PeerClocks clocks;
  private final String open;
  private final ScheduledExecutorService thread;

  /** Why the node watches no write any more; empty: it does. */
  private volatile String off = "";

  private volatile boolean awaitsRepair;

  // Of the thread.
  private boolean published;
  private long publishedNanos;
  private boolean refused;
  private Map<String, String> notRestored = Map.of();
  private String publishedOff = "";
  private boolean publishedAwaits;
  private @Nullable Future<RecordMetadata> onItsWay;

  /**
   * @param open what other machines may do without proof; empty: nothing
   */
  NodeReporter(
      UndoLog store,
      LongSupplier epochMicros,
      ControlPublisher publisher,
      PeerClocks clocks,
      String open) {
    this.store = store;
    this.epochMicros = epochMicros;
    this.publisher = publisher;
    this.clocks = clocks;
    this.open = open;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread made = new Thread(work, "palinode-report-" + store.node());
              made.setDaemon(true);
              return made;
            });
  }

  void start() {
    ScheduledFuture<?> unused =
        thread.scheduleWithFixedDelay(this::look, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** From now on reports why the node watches no write any more. */
  void off(String why) {
    off = why.length() <= OFF_CHARS_MAX ? why : why.substring(0, OFF_CHARS_MAX);
  }

  /** From now on reports whether the node serves no client until all keys are compared. */
  void awaitsRepair(boolean awaits) {
    awaitsRepair = awaits;
  }

  /** The one edge of the thread: what is not published now is published a second later. */
  private void look() {
    try {
      NodeHealth health = store.health();
      Map<String, String> keys = store.notRestored();
      if (health != null && isDue(health, keys) && (onItsWay == null || onItsWay.isDone())) {
        publish(health, keys);
      }
    } catch (RuntimeException e) {
      log.warn("node={} no report", store.node(), e);
    }
  }

  private boolean isDue(NodeHealth health, Map<String, String> keys) {
    boolean changed =
        refused != (health.storageRefusedSinceMicros() != null)
            || !keys.equals(notRestored)
            || !off.equals(publishedOff)
            || awaitsRepair != publishedAwaits;
    return !published || changed || System.nanoTime() - publishedNanos >= EVERY.toNanos();
  }

  private void publish(NodeHealth health, Map<String, String> keys) {
    String why = off;
    boolean awaits = awaitsRepair;
    NodeReport.Builder report =
        health.toReport(store.node(), store.incarnation()).toBuilder()
            .setOpen(open)
            .setVersion(Build.VERSION)
            .setOff(why)
            .setAwaitsRepair(awaits)
            .addAllPeers(clocks.bounds());
    Set<String> stores = store.stores();
    if (stores.size() <= ControlRecordCheck.STORES_MAX) {
      report.addAllStores(stores);
    }
    keys.entrySet().stream()
        .limit(ControlRecordCheck.NOT_RESTORED_MAX)
        .forEach(
            each ->
                report.addNotRestored(
                    KeysNotRestored.newBuilder()
                        .setPrefix(each.getKey())
                        .setReason(each.getValue())));
    ControlRecord record =
        ControlRecord.newBuilder()
            .setAtMicros(epochMicros.getAsLong())
            .setNodeReport(report)
            .build();
    onItsWay = publisher.send(record);
    published = true;
    publishedNanos = System.nanoTime();
    refused = health.storageRefusedSinceMicros() != null;
    notRestored = keys;
    publishedOff = why;
    publishedAwaits = awaits;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
