package io.palinode.cassandra.node;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.palinode.cassandra.record.CellRules;
import io.palinode.cassandra.refusal.StatementRefusals;
import io.palinode.cassandra.table.LiveCells;
import io.palinode.cassandra.table.TableRefusals;
import io.palinode.cassandra.table.Tables;
import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.store.hosted.Fuse;
import io.palinode.store.hosted.JoinedDetector;
import io.palinode.store.hosted.MetaFiles;
import io.palinode.store.hosted.PromiseKeeper;
import io.palinode.store.hosted.StatusPages;
import io.palinode.store.node.NodeParts;
import io.palinode.store.node.NodeSettings;
import io.palinode.store.node.NodeSpec;
import io.palinode.store.order.FenceState;
import io.palinode.store.order.NodeMeta;
import io.palinode.store.past.PastEvents;
import io.palinode.store.past.StoreSpec;
import java.io.File;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.exceptions.ConfigurationException;
import org.apache.cassandra.gms.Gossiper;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node of this server from its start to its end. It opens after the commit log was replayed:
 * the replayed mutations were announced by the incarnation that accepted them. Thread-safe.
 */
public final class ServerNode {
  private static final Logger log = LoggerFactory.getLogger(ServerNode.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int FAILURES_MAX = 100;

  private static volatile @Nullable ServerNode only;

  private final NodeParameters parameters;
  private final int number;
  private final TableRefusals refusals;
  private final Tables tables;
  private final StatementRefusals statements;
  private final OwnWrites own = new OwnWrites();
  private final PeerEpochs peers = new PeerEpochs();
  private final FailedReads failedReads = new FailedReads();
  private final ReplayDrops drops = new ReplayDrops();
  private final Timestamps timestamps = new Timestamps(HvcClock.MAX_DRIFT_DEFAULT);
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Fuse fuse;
  private final JoinedDetector detector;
  private final PromiseKeeper promises = new PromiseKeeper();
  private volatile @Nullable CassandraNode node;
  private volatile @Nullable LocalSnapshots snapshots;

  /** Until the node is open; null before the server has a table of this memtable. */
  private volatile @Nullable FenceState startFence;

  private boolean started;

  private ServerNode(NodeParameters parameters, Predicate<TableMetadata> chosen) {
    this.parameters = parameters;
    this.number = parameters.nodeOf(FBUtilities.getBroadcastAddressAndPort().getAddress());
    this.refusals =
        new TableRefusals(chosen, parameters.isLogged(), parameters.partitionBytesMax());
    this.tables = new Tables(parameters.nodes(), refusals);
    this.statements = new StatementRefusals(refusals::isWatched);
    this.fuse =
        new Fuse(
            "this node is no longer watched, until its server restarts",
            FAILURES_MAX,
            this::missed,
            this::turnOff);
    this.detector =
        new JoinedDetector(parameters.detector(), registry, ServerNode::epochMicros, fuse);
  }

  /**
   * The node with these parameters, which are removed. Throws {@link ConfigurationException}, also
   * if the server already has a node with other ones.
   *
   * @param chosen whether a table chose a memtable of the node
   */
  public static synchronized ServerNode of(
      Map<String, String> given, Predicate<TableMetadata> chosen) {
    NodeParameters parameters = NodeParameters.take(given);
    ServerNode known = only;
    if (known == null) {
      known = new ServerNode(parameters, chosen);
      only = known;
    } else if (!known.parameters.equals(parameters)) {
      throw new ConfigurationException(
          "all configurations of the memtable of Palinode must have the same parameters: %s and %s"
              .formatted(known.parameters, parameters));
    }
    return known;
  }

  /** The node of this server; null if no table has named our memtable. */
  public static @Nullable ServerNode known() {
    return only;
  }

  /**
   * Opens the node once the server has replayed its commit log. Returns at once.
   *
   * @param first runs before the node opens, in another thread
   */
  public synchronized void start(Runnable first) {
    // A tool such as sstablescrub opens tables too.
    if (started || !DatabaseDescriptor.isDaemonInitialized()) {
      return;
    }
    started = true;
    startFence = readFence();
    Thread opening = JoinedDetector.daemon(() -> awaitReplayed(first), "palinode-open");
    // Kafka's client loads its classes with the thread's context class loader.
    opening.setContextClassLoader(ServerNode.class.getClassLoader());
    opening.start();
    if (parameters.statusPort() > 0) {
      ServerPages pages = new ServerPages(() -> node, () -> snapshots, tables, detector, fuse);
      boolean unused = StatusPages.start(parameters.statusPort(), pages.all(), registry);
    }
  }

  /** A folder that cannot be read fails the opening too, with its reason. */
  private FenceState readFence() {
    try {
      CassandraEngine engine = engine(folder(), tables);
      long paused = PauseMark.read(engine);
      return paused > 0 ? FenceState.paused(paused) : NodeMeta.readFence(engine);
    } catch (RuntimeException e) {
      log.error("node={} state=UNREADABLE", number, e);
      return FenceState.INITIAL;
    }
  }

  private static CassandraEngine engine(Path folder, Tables tables) {
    List<File> server =
        Stream.concat(
                Stream.of(DatabaseDescriptor.getAllDataFileLocations()),
                Stream.of(DatabaseDescriptor.getCommitLogLocation()))
            .map(File::new)
            .toList();
    return new CassandraEngine(new MetaFiles(folder.resolve("meta")), tables, server);
  }

  private void awaitReplayed(Runnable first) {
    try {
      first.run();
      if (parameters.isLogged()) {
        statements.refuseProposals();
      }
      while (!isReplayed()) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
      open();
    } catch (RuntimeException | LinkageError e) {
      log.error("node={} state=UNWATCHED, the server serves unwatched", number, e);
      fuse.blow("its node could not be opened");
    }
  }

  /** Whether the server applies its commit log. */
  public boolean isReplaying() {
    return !isReplayed();
  }

  /** No other node and no client sends a mutation before this. */
  private static boolean isReplayed() {
    return Gossiper.instance.isEnabled();
  }

  private void open() {
    drops.logTotals();
    Path folder = folder();
    CassandraEngine engine = engine(folder, tables);
    if (parameters.isLogged()) {
      statements.refuseStatements(tables.watched());
    }
    if (engine.pending().timestamp() > 0) {
      engine.writePending(own);
    }
    awaitClock(NodeParts.opensFromMicros(engine));
    NodeSpec spec =
        new NodeSpec(
            number, parameters.nodes().size(), stores(), NodeSettings.of(parameters.epsilon()));
    PastEvents uncounted = new PastEvents(() -> {}, () -> {});
    CassandraNode opened =
        new CassandraNode(
            new NodeParts(spec, engine, ServerNode::epochMicros, null, uncounted),
            engine,
            tables,
            timestamps,
            own,
            fuse::isBlown);
    node = opened;
    tables.followAll(() -> opened.clock().tick().own());
    // These did not see the node.
    Keyspace.writeOrder.awaitNewBarrier();
    unlogged();
    LocalSnapshots parts =
        new LocalSnapshots(number, opened.history(), folder.resolve("snapshots"));
    snapshots = parts;
    boolean unused = StorageService.instance.addPostShutdownHook(this::close);
    detector.start(opened, parts);
    promises.start(opened, () -> detector.check(opened, parts));
  }

  private List<StoreSpec> stores() {
    return parameters.isLogged()
        ? List.of(
            new StoreSpec(
                LiveCells.STORE,
                key -> tables.replicas(new StoreKey(LiveCells.STORE, key)),
                new CellRules(),
                false))
        : List.of();
  }

  private Path folder() {
    Path given = parameters.data();
    return given == null
        ? Path.of(DatabaseDescriptor.getHintsDirectory().absolutePath()).resolveSibling("palinode")
        : given;
  }

  private static long epochMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** Waits for the clock promise of the last incarnation. */
  private static void awaitClock(long fromMicros) {
    while (epochMicros() < fromMicros) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /**
   * The node, for a mutation that it observes; null while the commit log is replayed, and after the
   * node turned off. A mutation before the node has joined is reported as missed.
   */
  public @Nullable CassandraNode watching() {
    CassandraNode now = node;
    if (!detector.isJoined() && (now != null || isReplayed())) {
      detector.missed();
    }
    return fuse.isBlown() ? null : now;
  }

  /** The tables that are not watched, and those that are not restored. */
  public TableRefusals refusals() {
    return refusals;
  }

  public Tables tables() {
    return tables;
  }

  /** Whether the calling thread writes restored cells. */
  public boolean isOwnWrite() {
    return own.isCurrent();
  }

  /** Those of watched tables; null if their mutations are not logged. */
  public @Nullable Timestamps timestamps() {
    return parameters.isLogged() ? timestamps : null;
  }

  /** Whether a rollback pauses the node, so that it refuses mutations. */
  public boolean isPaused() {
    CassandraNode now = node;
    FenceState start = startFence;
    return !own.isCurrent()
        && !fuse.isBlown()
        && (now == null ? start != null && start.paused() : now.refusesMutations());
  }

  /** The requests that the node serves; null if it is not watched. */
  public @Nullable FenceState fence() {
    CassandraNode now = node;
    if (fuse.isBlown()) {
      return null;
    }
    return now == null ? startFence : now.nextFence();
  }

  public PeerEpochs peers() {
    return peers;
  }

  /** A send event; null if the node is not open. */
  public @Nullable Hvc tick() {
    CassandraNode now = node;
    return now == null ? null : now.clock().tick();
  }

  /**
   * A receive event. Throws {@link io.palinode.hvc.ClockDriftException}, and changes nothing, for a
   * clock that is too far ahead. Ignores one of a cluster of another size.
   */
  public void tick(Hvc received) {
    CassandraNode now = node;
    if (now != null && received.nodes() == now.nodes()) {
      now.clock().tick(received);
    }
  }

  /**
   * A mutation could not be announced. If Cassandra could not read its rows, the mutation is missed
   * and the node stays on. Takes no lock of the node.
   */
  public void failed(Throwable bug) {
    if (FailedReads.isOne(bug)) {
      failedReads.add(bug);
      missed();
    } else {
      fuse.failed(bug);
    }
  }

  /** A mutation of the commit log was not applied, because its timestamp is ahead. */
  public void droppedInReplay(String table, long timestamp) {
    drops.add(table, timestamp);
    missed();
  }

  /** Some mutations before now are not logged: no earlier time can be restored. */
  public void unlogged() {
    CassandraNode now = node;
    if (now != null) {
      now.missedMutation();
    }
  }

  /** A mutation was applied, and not announced. */
  public void missed() {
    unlogged();
    detector.missed();
  }

  private void turnOff() {
    detector.turnOff();
  }

  private void close() {
    promises.close();
    detector.stop();
    detector.endReports();
    CassandraNode closing = node;
    if (closing != null) {
      closing.close();
    }
  }
}
