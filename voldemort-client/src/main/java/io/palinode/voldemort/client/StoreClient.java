package io.palinode.voldemort.client;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.palinode.voldemort.client.Store.Remembered;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.link.LinkListener;
import io.palinode.voldemort.client.link.Transport;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.PausedException;
import io.palinode.voldemort.client.session.RefusedByFence;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.SafePointTimeoutException;
import io.palinode.voldemort.client.session.SeenVersions;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.client.session.SessionReads;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of a cluster. Thread-safe. Costs one daemon thread and one connection a node.
 *
 * <p>A rollback reaches the program as a {@link RolledBackException}: from every call that was
 * under way in the old epoch, or, when there was none, from the next call. After one call has
 * thrown it, calls that begin later belong to the new epoch. So a program with several threads
 * gives each its own client, or passes the news on.
 */
public final class StoreClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreClient.class);
  private static final Duration SAFE_POLL_MIN = Duration.ofMillis(5);
  private static final Duration SAFE_POLL_MAX = Duration.ofMillis(20);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  /** No node holds back what is asked for this key; only the answer's fence is of interest. */
  private static final byte[] PROBE_KEY = {0};

  private static final String NODE_ID = "node.id";

  private final EventLoopGroup threads;
  private final Metadata metadata;
  private final Session session;
  private final Replicas replicas;
  private final LongSupplier epochMillis;
  private final boolean readRepair;
  private final @Nullable SeenVersions seen;
  private final @Nullable SessionReads sessionReads;
  private final Map<String, Store> stores = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final List<Consumer<RolledBack>> listeners = new CopyOnWriteArrayList<>();

  private StoreClient(
      ClientConfig config, Metadata metadata, Transport transport, LongSupplier epochMillis) {
    this.threads = transport.threads();
    this.metadata = metadata;
    this.session = transport.session();
    this.epochMillis = epochMillis;
    this.replicas = new Replicas(metadata.cluster(), config, transport);
    this.readRepair = config.readRepair();
    this.seen = config.seenKeysMax() == 0 ? null : new SeenVersions(config.seenKeysMax());
    this.sessionReads = config.readKeysMax() == 0 ? null : new SessionReads(config.readKeysMax());
    List<Integer> nodes = metadata.cluster().nodes().stream().map(Node::id).toList();
    RollbackProbe probe = new RollbackProbe(threads, replicas, nodes, probe(metadata));
    this.session.listen(new Rollbacks(config.clientId(), probe));
  }

  /** Bootstraps from the first node that answers. */
  public static StoreClient connect(ClientConfig config) {
    return connect(config, System::currentTimeMillis);
  }

  /**
   * Bootstraps from the first node that answers; waits while the cluster is paused. Throws {@link
   * StoreException} when none does.
   *
   * @param epochMillis the clock for the timestamps of versions
   */
  public static StoreClient connect(ClientConfig config, LongSupplier epochMillis) {
    EventLoopGroup threads =
        new NioEventLoopGroup(
            1, new DefaultThreadFactory("palinode-client-" + config.clientId(), true));
    try {
      return bootstrap(config, threads, epochMillis);
    } catch (RuntimeException e) {
      shutDown(threads);
      throw e;
    }
  }

  private static StoreClient bootstrap(
      ClientConfig config, EventLoopGroup threads, LongSupplier epochMillis) {
    Duration pauseMax = config.links().pauseMax();
    long deadline = System.nanoTime() + pauseMax.toNanos();
    for (Duration pause = Call.PAUSE_MIN; ; pause = Call.longer(pause)) {
      // A new one each time: an epoch that ends during the bootstrap was never worked in.
      Session session = Session.goingOn(config.clientId(), pauseMax);
      Transport transport =
          new Transport(
              threads, config.links().forBootstrap(), session, LinkListener.NONE, System::nanoTime);
      try {
        Metadata metadata = Metadata.fetch(config.bootstrap(), transport);
        if (session.view().doubt() == null) {
          return new StoreClient(config, metadata, transport, epochMillis);
        }
      } catch (RefusedByFence e) {
        if (System.nanoTime() - deadline > 0) {
          throw new PausedException(
              "the cluster was paused for longer than " + pauseMax.toMillis() + " ms", e.epoch());
        }
      }
      session.pause(pause);
    }
  }

  private static Ask<?> probe(Metadata metadata) {
    // Any request of an ended epoch is refused; the answer to a metadata request also carries the
    // epoch.
    return metadata.stores().isEmpty()
        ? Ask.metadata(NODE_ID)
        : Ask.get(metadata.stores().get(0).name(), PROBE_KEY).ignoringChecks();
  }

  private final class Rollbacks implements Session.Listener {
    private final String clientId;
    private final RollbackProbe probe;

    Rollbacks(String clientId, RollbackProbe probe) {
      this.clientId = clientId;
      this.probe = probe;
    }

    @Override
    public void epochOver() {
      replicas.epochOver();
      probe.start();
    }

    @Override
    public void rolledBack(RolledBack rolledBack) {
      replicas.epochOver();
      replicas.metrics().rollbacks.increment();
      if (seen != null) {
        seen.rolledBack(rolledBack);
      }
      LOG.info("client={} rolledBack={}", clientId, rolledBack);
      for (Consumer<RolledBack> listener : listeners) {
        threads.execute(() -> listener.accept(rolledBack));
      }
    }
  }

  public Cluster cluster() {
    return metadata.cluster();
  }

  public List<StoreDefinition> stores() {
    return metadata.stores();
  }

  /** Throws {@link IllegalArgumentException} for a store that the cluster does not have. */
  public Store store(String name) {
    return stores.computeIfAbsent(name, this::openStore);
  }

  private Store openStore(String name) {
    for (StoreDefinition definition : metadata.stores()) {
      if (definition.name().equals(name)) {
        Ring ring = new Ring(metadata.cluster(), definition.replicationFactor());
        return new Store(
            definition,
            ring,
            replicas,
            epochMillis,
            readRepair,
            new Remembered(seen, sessionReads));
      }
    }
    List<String> names = metadata.stores().stream().map(StoreDefinition::name).toList();
    throw new IllegalArgumentException("no such store: name=" + name + " stores=" + names);
  }

  /**
   * Returns once no automatic rollback discards a write at or before {@code hlc}. Throws {@link
   * RolledBackException} when the store is rolled back meanwhile, whatever the target, and {@link
   * SafePointTimeoutException}. Asks the nearest node every 5 to 20 ms.
   */
  public void awaitSafe(long hlc, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    replicas.run(call -> awaitSafe(call, hlc, deadline));
  }

  private long awaitSafe(Call call, long hlc, long deadlineNanos) {
    InsufficientNodesException unreachable = null;
    for (Duration pause = SAFE_POLL_MIN; session.safePoint() < hlc; pause = SAFE_POLL_MAX) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new SafePointTimeoutException(hlc, session.safePoint(), unreachable);
      }
      try {
        Replicas.await(
            replicas.gather(replicas.order(), Quorum.of(1), Ask.metadata(NODE_ID), call));
        unreachable = null;
      } catch (InsufficientNodesException e) {
        unreachable = e;
      }
      session.requireCurrent(call.epoch());
      if (session.safePoint() < hlc) {
        session.pause(pause);
      }
    }
    return session.safePoint();
  }

  /** The newest safe point that this client has received. */
  public long safePoint() {
    return session.safePoint();
  }

  /** The epoch that requests are sent in; -1 while only stock nodes have answered. */
  public long epoch() {
    return session.view().epoch();
  }

  /**
   * Notifies {@code listener} of each rollback, once, when its target is known. Exceptions of calls
   * may come before or after. It runs on the client's only thread: it must return at once and must
   * not call this client.
   */
  public void onRollback(Consumer<RolledBack> listener) {
    listeners.add(listener);
  }

  /** Gets, puts and deletes that this client has finished. */
  public long operations() {
    return metrics().operations();
  }

  public ClientMetrics metrics() {
    return replicas.metrics();
  }

  /**
   * Lets copies in flight land, for some seconds at most, fails the calls under way, and returns
   * about two seconds later at most.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      replicas.close();
      shutDown(threads);
    }
  }

  private static void shutDown(EventLoopGroup threads) {
    long max = CLOSE_MAX.toMillis();
    threads
        .shutdownGracefully(0, max, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(max, TimeUnit.MILLISECONDS);
  }
}
