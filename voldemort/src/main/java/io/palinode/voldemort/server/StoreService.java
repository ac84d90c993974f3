package io.palinode.voldemort.server;

import io.palinode.retroscope.disk.LogFolder;
import io.palinode.retroscope.disklog.DiskBound;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.engine.SplitEngine;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.PastOnDisk;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.bdb.BdbEngine;
import io.palinode.voldemort.bdb.DataFolder;
import io.palinode.voldemort.bdb.DataFolderException;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store node with its folder and its socket. Open it, bind a detector and the control duties to
 * its node, then start it.
 */
public final class StoreService implements AutoCloseable {
  /** The longest wait for a clock that was set back. */
  private static final long CLOCK_WAIT_MICROS_MAX = 2_000_000;

  private static final Logger log = LoggerFactory.getLogger(StoreService.class);

  private final StoreServiceConfig config;
  private final DataFolder folder;
  private final StoreNode node;
  private final LocalSnapshots snapshots;
  private final @Nullable PastCompaction compaction;
  private @Nullable StoreServer server;

  private StoreService(StoreServiceConfig config, DataFolder folder, StoreNode node) {
    this.config = config;
    this.folder = folder;
    this.node = node;
    this.snapshots = new LocalSnapshots(node.node(), node.history(), folder.snapshots());
    this.compaction = config.compactsPast() ? PastCompaction.start(node) : null;
  }

  /**
   * Opens folder, engines and node; serves nothing yet. The node's incarnation is later than each
   * that {@link #had} has recorded.
   *
   * @param epochMicros the physical clock; {@link SystemMicros} outside of tests
   * @throws DataFolderException if the folder belongs to another node or process
   * @throws ListenException if another program listens at the node's address
   * @throws io.palinode.voldemort.bdb.DiskFullException if the file system is full
   * @throws StorageException if the data cannot be opened
   * @throws io.palinode.retroscope.disklog.DiskLogException if a window-log belongs to another node
   * @throws io.palinode.store.order.ClockBehindException if the clock is more than 2 s behind the
   *     clock promise
   */
  public static StoreService open(StoreServiceConfig config, LongSupplier epochMicros) {
    DataFolder folder =
        DataFolder.open(config.data(), config.node().nodeId(), config.node().nodes());
    SplitEngine engine = null;
    try {
      folder.requireFree(config.bdb().freeDiskBytes());
      // Before the node joins: a second process of it would take part in its name.
      StoreServer.requireFree(config.server());
      engine = engine(config, folder);
      renumber(engine, folder.hadIncarnation());
      awaitClock(config, NodeParts.opensFromMicros(engine), epochMicros);
      StoreNode node = new StoreNode(config.node(), engine, epochMicros, past(config, folder));
      return new StoreService(config, folder, node);
    } catch (RuntimeException e) {
      if (engine != null) {
        engine.close();
      }
      folder.close();
      throw e;
    }
  }

  /** Readers skip an incarnation that is not later than one that they have read. */
  private static void renumber(SplitEngine engine, long had) {
    NodeMeta.Start last = NodeMeta.Start.read(engine);
    if (last.incarnation() < had) {
      NodeMeta.Start renumbered = new NodeMeta.Start(had, last.promisedHlc());
      engine.commit(List.of(renumbered.toChange()), Durability.SYNCED);
    }
  }

  /** Waits for the clock promise. It is ahead of the clock after a kill or a jump of the clock. */
  private static void awaitClock(
      StoreServiceConfig config, long fromMicros, LongSupplier epochMicros) {
    long first = fromMicros - epochMicros.getAsLong();
    if (first <= 0 || first > CLOCK_WAIT_MICROS_MAX) {
      return;
    }
    log.info("node={} phase=AWAITS_CLOCK micros={}", config.node().nodeId(), first);
    for (long left = first; left > 0; left = fromMicros - epochMicros.getAsLong()) {
      try {
        TimeUnit.MICROSECONDS.sleep(Math.min(left, first));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static @Nullable PastOnDisk past(StoreServiceConfig config, DataFolder folder) {
    DiskBound bound = config.windowLogDisk();
    return bound == null
        ? null
        : new PastOnDisk(
            bound,
            (store, log) ->
                logFolder(folder.windowLog(store, log.name().toLowerCase(Locale.ROOT))));
  }

  private static LogFolder logFolder(Path path) {
    try {
      return LogFolder.open(path);
    } catch (IOException e) {
      throw new StorageException("opening " + path + " failed: " + e, e);
    }
  }

  private static SplitEngine engine(StoreServiceConfig config, DataFolder folder) {
    List<String> onDisk = new ArrayList<>(List.of(NodeMeta.STORE));
    List<String> inMemory = new ArrayList<>();
    for (StoreDefinition store : config.node().stores()) {
      (store.persistence() == Persistence.MEMORY ? inMemory : onDisk).add(store.name());
    }
    return new SplitEngine(
        BdbEngine.open(folder.bdb(), onDisk, config.bdb(), folder.storeEnd()),
        inMemory,
        folder.windowLogs().toFile());
  }

  public StoreNode node() {
    return node;
  }

  /** The node's part of the cluster's snapshots. */
  public LocalSnapshots snapshots() {
    return snapshots;
  }

  /** Whether the node may serve only after all keys were compared with the other replicas. */
  public boolean awaitsRepair() {
    return folder.awaitsRepair();
  }

  /**
   * Records an incarnation that others have seen. Returns false if the folder is older, or empty:
   * open the service again, as a later incarnation. It may then serve only after all keys were
   * compared. Throws {@link DataFolderException}.
   */
  public boolean had(long incarnation) {
    if (incarnation < node.incarnation()) {
      return true;
    }
    if (incarnation > folder.repairedIncarnation()) {
      log.warn(
          "node={} phase=AWAITS_REPAIR its folder is of incarnation {}, and it had {} before",
          node.node(),
          node.incarnation(),
          incarnation);
      folder.awaitRepair(incarnation);
    }
    return false;
  }

  /** Records that all keys were compared. Throws {@link DataFolderException}. */
  public void repaired() {
    folder.repaired();
  }

  /** Listens and serves. Once. Throws {@link ListenException}. */
  public synchronized void start() {
    if (server != null) {
      throw new IllegalStateException("a service starts once: node=" + node.node());
    }
    server = StoreServer.start(node, snapshots, config.server());
  }

  /** The port on which it listens. */
  public synchronized int port() {
    if (server == null) {
      throw new IllegalStateException("a service has a port only after its start");
    }
    return server.port();
  }

  /**
   * Closes the socket after the requests in flight are answered. A detector that is closed
   * afterwards misses no write. Idempotent.
   */
  public synchronized void stopServing() {
    if (server != null) {
      server.close();
    }
  }

  /**
   * Closes socket, node, engines and folder, in this order. Idempotent; bounded by the timeouts.
   */
  @Override
  public synchronized void close() {
    try {
      stopServing();
      if (compaction != null) {
        compaction.close();
      }
      node.close();
    } finally {
      folder.close();
    }
  }
}
