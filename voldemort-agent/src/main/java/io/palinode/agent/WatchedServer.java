package io.palinode.agent;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.agent.AgentConfig.Unjoined;
import io.palinode.agent.boot.Hooks;
import io.palinode.agent.boot.Lifecycle;
import io.palinode.detector.kafka.NodeMonitor;
import io.palinode.detector.kafka.NodeMonitorConfig;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.engine.StorageEngine.Durability;
import io.palinode.store.engine.StorageException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.server.SystemMicros;
import io.palinode.wire.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server from when its stores are open until they are closed: the node that knows its writes, and
 * the monitor that tells of them. The monitor joins on a thread of its own, again and again until
 * Kafka is there; a start of the server waits for it for a while.
 */
final class WatchedServer implements Lifecycle {
  private static final Logger log = LoggerFactory.getLogger(WatchedServer.class);
  private static final long RETRY_SECONDS = 5;
  private static final long CLOCK_WAIT_MICROS_MAX = 2_000_000;

  /** How far ahead, and how often, the clock is promised: no write waits for that. */
  private static final long PROMISE_HLC = Hlc.ofMicros(1_000_000);

  private static final long PROMISE_EVERY_MILLIS = 100;

  /** So that what goes to Kafka at once is one request, not the first record and then the rest. */
  private static final int LINGER_MS = 1;

  /** A write that was missed may be committed this much later than its failure. */
  private static final long MISSED_MARGIN_HLC = Hlc.ofMicros(1_000_000);

  private static final Duration CLOSE_MAX = Duration.ofSeconds(60);

  private final AgentConfig config;
  private final MeterRegistry registry;
  private final Runnable end;
  private final Fuse fuse;
  private final LongSupplier epochMicros = new SystemMicros();
  private final CountDownLatch joined = new CountDownLatch(1);
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final AtomicLong missedAt = new AtomicLong();
  private final AtomicBoolean missedUntold = new AtomicBoolean();
  private final ExecutorService teller =
      Executors.newSingleThreadExecutor(work -> daemon(work, "palinode-missed"));
  private final ScheduledExecutorService promiser =
      Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "palinode-promise"));
  private volatile @Nullable StoreNode node;
  private volatile @Nullable NodeMonitor monitor;
  private volatile @Nullable StoresNow stores;
  private volatile @Nullable String notJoined;
  // Telling it may have failed when the fuse blew.
  private volatile boolean toldOff;
  private @Nullable Thread joiner;
  // Of one thread.
  private boolean promisesFail;

  /**
   * @param end ends the process, soon: the server must not serve
   */
  WatchedServer(AgentConfig config, MeterRegistry registry, Runnable end) {
    this.config = config;
    this.registry = registry;
    this.end = end;
    this.fuse =
        new Fuse(
            "this node is not watched any more, until its server is started anew",
            config.failuresMax(),
            this::missed,
            this::turnOff);
  }

  /**
   * {@inheritDoc} Throws, so that the server does not start, when it is not to serve unwatched and
   * cannot be watched.
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
        server.definitions().size(), config.windowLog().bytesMax(), DirectMemory.max());
    StockTypes types = server.types();
    OwnCalls own = new OwnCalls();
    // The engines ask the node that is made over them.
    List<StockEngine> engines = server.engines(this::isAlone);
    Path folder = config.data().resolve("node-" + server.nodeId());
    StockEngines storage = storage(engines, folder.resolve("meta"), own);
    awaitClock(StoreNode.opensFromMicros(storage));
    StoreNode opened = new StoreNode(nodeConfig(server), storage, epochMicros);
    node = opened;
    StoresNow now =
        new StoresNow(
            engines,
            server.unwatched(),
            server::enginesNow,
            () -> opened.lastReading().own(),
            this::publishGap);
    stores = now;
    PiggyBack piggyBack = new PiggyBack(opened, types);
    Object slops = server.slopEngine();
    Hooks.listen(
        new EngineHooks(opened, types, engines, own, piggyBack, fuse, Hints.engineOf(slops)));
    Hints hints = new Hints(types, slops, Set.copyOf(now.watched()), own);
    AgentBinding binding = new AgentBinding(opened, hints::dropAfter, this::isOff, missedAt::get);
    LocalSnapshots snapshots =
        new LocalSnapshots(opened.node(), opened.history(), folder.resolve("snapshots"));
    log.info("node={} stores={} state=HOOKED", opened.node(), now.watched());
    ScheduledFuture<?> unused =
        promiser.scheduleWithFixedDelay(
            () -> lookAround(opened, now, () -> join(binding, snapshots)),
            0,
            PROMISE_EVERY_MILLIS,
            TimeUnit.MILLISECONDS);
    joiner = daemon(() -> join(binding, snapshots), "palinode-join");
    joiner.start();
  }

  private static StockEngines storage(List<StockEngine> engines, Path meta, OwnCalls own) {
    try {
      return new StockEngines(engines, new MetaFiles(meta), own);
    } catch (StorageException e) {
      throw new StartRefusedException(
          "what the agent left in %s cannot be read, or a rollback that was cut off there not be ended: %s. Mend that and start again; or remove that folder, if what the stores hold now is to stand"
              .formatted(meta, e.getMessage()),
          e);
    }
  }

  private void lookAround(StoreNode promising, StoresNow now, Runnable join) {
    try {
      now.look(System.nanoTime());
      blowIfDeaf(fuse);
      NodeMonitor telling = monitor;
      if (telling != null
          && blowIfEnded(fuse, telling::isRunning, () -> stopping.getCount() == 0)) {
        joinAgain(telling, join);
      }
      if (fuse.isBlown() && !toldOff) {
        turnOff();
      }
      promise(promising);
    } catch (OutOfMemoryError e) {
      // Thrown on, it would end this look, which is for such times. The next one is soon.
    }
  }

  /** Want of memory may keep the hooks from telling their own failure: nothing is heard then. */
  static void blowIfDeaf(Fuse fuse) {
    if (Hooks.isDeaf() && !fuse.isBlown()) {
      fuse.blow("a failure could not be told, and nothing was heard since");
    }
  }

  /**
   * Whether a thread of the monitor has ended by itself, as by an error: what is heard is not told
   * any more, or no plan is heard of. What is to be told next would count as told before.
   */
  static boolean blowIfEnded(Fuse fuse, BooleanSupplier isRunning, BooleanSupplier isStopping) {
    // In this order: a stop is known before it ends a thread.
    if (isRunning.getAsBoolean() || isStopping.getAsBoolean()) {
      return false;
    }
    fuse.blow("a thread of its monitor has ended");
    return true;
  }

  /** As one that is off: all nodes would wait in the next plan for one that answers nothing. */
  private synchronized void joinAgain(NodeMonitor ended, Runnable join) {
    Thread again =
        daemon(
            () -> {
              closeQuietly(ended::close);
              join.run();
            },
            "palinode-join");
    again.start();
    joiner = again;
    monitor = null;
  }

  /** Whether writes are missed, and none is fenced. */
  private boolean isOff() {
    return fuse.isBlown() || Hooks.isDeaf();
  }

  private void promise(StoreNode promising) {
    try {
      promising.promiseAhead(PROMISE_HLC);
      promisesFail = false;
    } catch (StorageException e) {
      // A write that needs it does it itself, and tells the failure.
      if (!promisesFail) {
        promisesFail = true;
        log.error("node={} state=NOT_PROMISED", promising.node(), e);
      }
    }
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  private boolean isAlone() {
    StoreNode now = node;
    return now != null && now.hosted().isAlone();
  }

  private StoreNodeConfig nodeConfig(ServerStores server) {
    return new StoreNodeConfig(
        server.nodeId(),
        server.cluster(),
        server.definitions(),
        config.epsilon(),
        HvcClock.MAX_DRIFT_DEFAULT,
        config.windowLog(),
        config.convergenceWindow(),
        Durability.WRITTEN,
        StoreNodeConfig.Past.KEPT);
  }

  /** As a node of ours does: what its last life promised has to be over. */
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

  private void join(AgentBinding binding, LocalSnapshots snapshots) {
    boolean told = false;
    while (stopping.getCount() > 0) {
      try {
        NodeMonitor started =
            NodeMonitor.start(
                binding,
                snapshots,
                NodeMonitorConfig.of(config.kafka(), Topics.DEFAULT)
                    .withPace(config.pace())
                    .withLingerMs(LINGER_MS),
                epochMicros,
                registry);
        became(started);
        notJoined = null;
        tellWhatWas(started);
        joined.countDown();
        return;
      } catch (RuntimeException e) {
        String why = String.valueOf(e.getMessage());
        if (!why.equals(notJoined)) {
          log.error(
              "node={} state=NOT_JOINED, tried again every {} s: {}",
              binding.node(),
              RETRY_SECONDS,
              why,
              told ? null : e);
          told = true;
        }
        notJoined = why;
      }
      awaitRetry();
    }
  }

  private synchronized void became(NodeMonitor started) {
    monitor = started;
  }

  /** What failed before there was anybody to tell it. */
  private void tellWhatWas(NodeMonitor started) {
    if (fuse.isBlown()) {
      started.giveUp();
    } else if (missedUntold.getAndSet(false)) {
      started.missed();
    }
  }

  private void awaitRetry() {
    try {
      boolean unused = stopping.await(RETRY_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stopping.countDown();
    }
  }

  private void awaitJoined() {
    boolean inTime = false;
    try {
      inTime = joined.await(config.joinTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!inTime) {
      String why = notJoined;
      refuseOr(
          "it has not joined within " + config.joinTimeout() + (why == null ? "" : ": " + why),
          null);
    }
  }

  private void refuseOr(String why, @Nullable Throwable cause) {
    if (config.unjoined() == Unjoined.STOP) {
      throw refusal(why, cause);
    }
    log.error("agent state=UNWATCHED, the server serves all the same: {}", why);
  }

  private IllegalStateException refusal(String why, @Nullable Throwable cause) {
    log.error("agent state=REFUSED, the server must not serve: {}", why);
    end.run();
    return new IllegalStateException("palinode-agent: " + why, cause);
  }

  /** A class of the server was loaded as it is: it does what nobody hears. */
  void notWoven(String type) {
    fuse.blow("class " + type + " could not be woven");
  }

  /** What failed may have been the telling of a write, which then cannot be undone either. */
  private void missed() {
    StoreNode missing = node;
    if (missing != null) {
      missedAt.accumulateAndGet(missing.lastReading().own() + MISSED_MARGIN_HLC, Math::max);
    }
    missedUntold.set(true);
    tell(
        telling -> {
          if (missedUntold.getAndSet(false)) {
            telling.missed();
          }
        });
  }

  /** Returns false if the node has not joined yet. Returns before the gap is published. */
  private boolean publishGap(long sinceHlc) {
    NodeMonitor telling = monitor;
    if (telling == null) {
      return false;
    }
    teller.execute(() -> telling.publishGap(sinceHlc));
    return true;
  }

  /** The hooks stay, and pass everything by: who is in the node gets out. */
  private void turnOff() {
    tell(NodeMonitor::giveUp);
    toldOff = true;
  }

  /** On a thread of its own: telling takes the node's lock, and a client's thread may have it. */
  private void tell(Consumer<NodeMonitor> what) {
    NodeMonitor telling = monitor;
    if (telling != null) {
      teller.execute(() -> what.accept(telling));
    }
  }

  /**
   * {@inheritDoc} Bounded in time: a write that never ends must not keep the server from ending.
   */
  @Override
  public void storageStopping(Object storageService) {
    Thread closing = daemon(() -> closeQuietly(this::close), "palinode-close");
    closing.setContextClassLoader(WatchedServer.class.getClassLoader());
    closing.start();
    try {
      closing.join(CLOSE_MAX.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (closing.isAlive()) {
      log.error("agent state=NOT_CLOSED within={}, the server stops all the same", CLOSE_MAX);
    }
  }

  private static void closeQuietly(Runnable close) {
    try {
      close.run();
    } catch (RuntimeException e) {
      log.error("agent state=CLOSE_FAILED", e);
    }
  }

  private synchronized void close() {
    stopping.countDown();
    Thread joining = joiner;
    if (joining != null) {
      joining.interrupt();
    }
    NodeMonitor telling = monitor;
    StoreNode closing = node;
    if (telling != null) {
      telling.close();
      monitor = null;
    }
    Hooks.listen(null);
    teller.shutdown();
    promiser.shutdown();
    if (closing != null) {
      closing.close();
    }
  }

  /** Kafka's client looks for its classes where the thread says. */
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

  // ---- what doctor asks

  Fuse fuse() {
    return fuse;
  }

  /** Null before the stores are open. */
  @Nullable StoreNode node() {
    return node;
  }

  boolean isJoined() {
    return joined.getCount() == 0;
  }

  /** Whether the detector observes every write of the server now. */
  boolean isCovered() {
    NodeMonitor telling = monitor;
    StoresNow now = stores;
    boolean isWhole = now == null || now.isComplete();
    return isJoined() && isWhole && !isOff() && telling != null && telling.isRunning();
  }

  /** Why the node has not joined, while that is tried again; null: it has, or has not tried. */
  @Nullable String notJoined() {
    return notJoined;
  }

  /** See {@link NodeMonitor#controlFailure}. */
  @Nullable String controlFailure() {
    NodeMonitor telling = monitor;
    return telling == null ? null : telling.controlFailure();
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
