package io.palinode.agent;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Lifecycle;
import io.palinode.agent.engine.EngineHooks;
import io.palinode.agent.engine.PiggyBack;
import io.palinode.agent.stock.Hints;
import io.palinode.agent.stock.OwnCalls;
import io.palinode.agent.stock.ServerStores;
import io.palinode.agent.stock.StockEngine;
import io.palinode.agent.stock.StockEngines;
import io.palinode.agent.stock.StockTypes;
import io.palinode.agent.stock.StoresNow;
import io.palinode.agent.stock.WatchedEngines;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.engine.StorageException;
import io.palinode.store.hosted.DirectMemory;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.hosted.HostedConfig;
import io.palinode.store.hosted.HostedConfig.Unjoined;
import io.palinode.store.hosted.JoinedDetector;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.hosted.PromiseKeeper;
import io.palinode.store.hosted.StartRefusedException;
import io.palinode.store.node.NodeParts;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.server.SystemMicros;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server while its stores are open, with its node and its detector. The start of the server waits
 * for the detector up to {@code joinTimeout}.
 */
final class WatchedServer implements Lifecycle {
  private static final Logger log = LoggerFactory.getLogger(WatchedServer.class);
  private static final long CLOCK_WAIT_MICROS_MAX = 2_000_000;

  /** A missed write may commit this much later than its failure. */
  private static final long MISSED_MARGIN_HLC = Hlc.ofMicros(1_000_000);

  private static final Duration CLOSE_MAX = Duration.ofSeconds(60);

  private final HostedConfig config;
  private final Runnable end;
  private final Fuse fuse;
  private final LongSupplier epochMicros = new SystemMicros();
  private final JoinedDetector detector;
  private final AtomicLong missedAt = new AtomicLong();
  private final PromiseKeeper promises = new PromiseKeeper();
  private volatile @Nullable StoreNode node;
  private volatile @Nullable StoresNow stores;

  /**
   * @param end ends the process soon: the server must not serve
   */
  WatchedServer(HostedConfig config, MeterRegistry registry, Runnable end) {
    this.config = config;
    this.end = end;
    this.fuse =
        new Fuse(
            "this node is no longer watched, until its server restarts",
            config.failuresMax(),
            this::missed,
            this::turnOff);
    this.detector = new JoinedDetector(config.detector(), registry, epochMicros, fuse);
  }

  /**
   * {@inheritDoc} Throws, which stops the start, if the server cannot be watched and must not serve
   * unwatched.
   */
  @Override
  public void storageStarted(Object storageService) {
    try {
      inOwnContext(() -> open(storageService));
    } catch (StartRefusedException e) {
      throw refusal(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException | LinkageError e) {
      Hooks.listen(null);
      fuse.failed(e);
      refuseOr("its node could not be opened", e);
      return;
    }
    awaitJoined();
  }

  private void open(Object storageService) {
    ServerStores server = new ServerStores(storageService);
    DirectMemory.requireRoom(
        server.definitions().size(), config.node().windowLog().bytesMax(), DirectMemory.max());
    StockTypes types = server.types();
    OwnCalls own = new OwnCalls();
    // The engines call the node that is created over them.
    List<StockEngine> engines = server.engines(this::isAlone);
    Path folder = config.data().resolve("node-" + server.nodeId());
    StockEngines storage = storage(engines, folder.resolve("meta"), own);
    awaitClock(NodeParts.opensFromMicros(storage));
    StoreNode opened = new StoreNode(nodeConfig(server), storage, epochMicros);
    node = opened;
    StoresNow now =
        new StoresNow(
            engines,
            server.unwatched(),
            server::enginesNow,
            () -> opened.lastReading().own(),
            detector::publishGap);
    stores = now;
    PiggyBack piggyBack = new PiggyBack(opened, types);
    Object slops = server.slopEngine();
    Hooks.listen(
        new EngineHooks(
            opened,
            new WatchedEngines(types, engines, own, Hints.engineOf(slops)),
            piggyBack,
            fuse));
    Hints hints = new Hints(types, slops, Set.copyOf(now.watched()), own);
    AgentBinding binding = new AgentBinding(opened, hints::dropAfter, this::isOff, missedAt::get);
    LocalSnapshots snapshots =
        new LocalSnapshots(opened.node(), opened.history(), folder.resolve("snapshots"));
    log.info("node={} stores={} state=HOOKED", opened.node(), now.watched());
    promises.start(opened, () -> lookAround(now, () -> detector.check(binding, snapshots)));
    detector.start(binding, snapshots);
  }

  private static StockEngines storage(List<StockEngine> engines, Path meta, OwnCalls own) {
    try {
      return new StockEngines(engines, new MetaFiles(meta), own);
    } catch (StorageException e) {
      throw new StartRefusedException(
          "the agent's files in %s cannot be read, or an interrupted rollback cannot be finished: %s. Fix this and start again; or remove that folder to keep the stores as they are"
              .formatted(meta, e.getMessage()),
          e);
    }
  }

  private void lookAround(StoresNow now, Runnable checkDetector) {
    now.look(System.nanoTime());
    blowIfCutOff(fuse);
    checkDetector.run();
  }

  /** A lack of memory may keep the hooks from reporting a failure; then they observe no write. */
  static void blowIfCutOff(Fuse fuse) {
    if (Hooks.isCutOff() && !fuse.isBlown()) {
      fuse.blow("a failure could not be reported, and no write was observed since");
    }
  }

  /** Whether the agent misses writes and fences none. */
  private boolean isOff() {
    return fuse.isBlown() || Hooks.isCutOff();
  }

  private boolean isAlone() {
    StoreNode now = node;
    return now != null && now.hosted().isAlone();
  }

  private StoreNodeConfig nodeConfig(ServerStores server) {
    return new StoreNodeConfig(
        server.nodeId(), server.cluster(), server.definitions(), config.node());
  }

  /** Waits for the clock promise of the last incarnation, as a Palinode node does. */
  private void awaitClock(long fromMicros) {
    long wait = fromMicros - epochMicros.getAsLong();
    if (wait > 0 && wait <= CLOCK_WAIT_MICROS_MAX) {
      try {
        TimeUnit.MICROSECONDS.sleep(wait);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void awaitJoined() {
    Duration timeout = config.joining().timeout();
    if (!detector.awaitJoined(timeout)) {
      String why = detector.notJoined();
      // The window-log has these writes, so they can be undone.
      detector.missed();
      refuseOr("it has not joined within " + timeout + (why == null ? "" : ": " + why), null);
    }
  }

  private void refuseOr(String why, @Nullable Throwable cause) {
    if (config.joining().unjoined() == Unjoined.STOP) {
      throw refusal(why, cause);
    }
    log.error("agent state=UNWATCHED, the server serves unwatched: {}", why);
  }

  private IllegalStateException refusal(String why, @Nullable Throwable cause) {
    log.error("agent state=REFUSED, the server must not serve: {}", why);
    end.run();
    return new IllegalStateException("palinode-agent: " + why, cause);
  }

  /** A class of the server was loaded unwoven, so its writes are not observed. */
  void notWoven(String type) {
    fuse.blow("class " + type + " could not be woven");
  }

  /** A failure may have missed a write, which then cannot be undone either. */
  private void missed() {
    StoreNode missing = node;
    if (missing != null) {
      missedAt.accumulateAndGet(missing.lastReading().own() + MISSED_MARGIN_HLC, Math::max);
    }
    detector.missed();
  }

  private void turnOff() {
    detector.turnOff();
  }

  /**
   * {@inheritDoc} Bounded in time: a write that never ends must not block the end of the server.
   */
  @Override
  public void storageStopping(Object storageService) {
    Thread closing = JoinedDetector.daemon(this::closeQuietly, "palinode-close");
    closing.setContextClassLoader(WatchedServer.class.getClassLoader());
    closing.start();
    try {
      closing.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (closing.isAlive()) {
      log.error("agent state=NOT_CLOSED within={}, the server stops without it", CLOSE_MAX);
    }
  }

  private void closeQuietly() {
    try {
      close();
    } catch (RuntimeException e) {
      log.error("agent state=CLOSE_FAILED", e);
    }
  }

  private synchronized void close() {
    detector.stop();
    Hooks.listen(null);
    detector.endReports();
    promises.close();
    StoreNode closing = node;
    if (closing != null) {
      closing.close();
    }
  }

  /** Kafka's client loads its classes with the thread's context class loader. */
  private static void inOwnContext(Runnable action) {
    Thread thread = Thread.currentThread();
    ClassLoader ofTheServer = thread.getContextClassLoader();
    thread.setContextClassLoader(WatchedServer.class.getClassLoader());
    try {
      action.run();
    } finally {
      thread.setContextClassLoader(ofTheServer);
    }
  }

  // ---- for /status

  Fuse fuse() {
    return fuse;
  }

  /** The node; null before the stores are open. */
  @Nullable StoreNode node() {
    return node;
  }

  JoinedDetector detector() {
    return detector;
  }

  /** Whether the detector observes every write of the server now. */
  boolean isCovered() {
    StoresNow now = stores;
    boolean isWhole = now == null || now.isComplete();
    return isWhole && !isOff() && detector.isRunning();
  }

  List<String> watched() {
    StoresNow now = stores;
    return now == null ? List.of() : now.watched();
  }

  /** The stores whose writes are not observed: of another kind, or added since the start. */
  List<String> unwatched() {
    StoresNow now = stores;
    return now == null ? List.of() : now.unwatched();
  }

  /** The stores that were added since the start. */
  List<String> added() {
    StoresNow now = stores;
    return now == null ? List.of() : now.added();
  }
}
