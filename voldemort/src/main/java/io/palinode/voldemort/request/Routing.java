package io.palinode.voldemort.request;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.palinode.tls.ServerTls;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Routes requests for clients that do not know the ring: reads R and writes W replicas of a key.
 * The replicas see one client, {@code router-<i>}, so it waits for the end of a pause, and its
 * writes are ordered. Thread-safe. Its requests run in separate threads, since they wait for other
 * nodes and for this one.
 */
public final class Routing implements AutoCloseable {
  static final int THREADS = 16;
  static final int WAITING_MAX = 240;

  /** The router waits six times as long for the end of a pause. */
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

  private final StoreNode node;
  private final @Nullable ServerTls tls;
  private final ThreadPoolExecutor threads;
  private @Nullable StoreClient client;
  private boolean closed;

  /**
   * @param tls of connections to other nodes; null: clear text
   */
  public Routing(StoreNode node, @Nullable ServerTls tls) {
    this.node = node;
    this.tls = tls;
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(WAITING_MAX),
            new DefaultThreadFactory("store-node-" + node.node() + "-routed", true));
    threads.allowCoreThreadTimeOut(true);
  }

  /** False if its queue is full. */
  public boolean offer(Runnable request) {
    try {
      threads.execute(request);
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  List<Versioned> get(String store, byte[] key) throws RefusedException {
    return call(store, routed -> routed.versions(key));
  }

  /** The versions of several keys, in the order of {@code keys}; one after the other. */
  List<List<Versioned>> getAll(String store, List<byte[]> keys) throws RefusedException {
    List<List<Versioned>> found = new ArrayList<>();
    for (byte[] key : keys) {
      found.add(get(store, key));
    }
    return found;
  }

  /** The first acceptor increments its entry of the version's clock. */
  boolean put(String store, byte[] key, Versioned onTopOf) throws RefusedException {
    return call(
        store,
        routed -> {
          var unused = routed.put(key, onTopOf);
          return true;
        });
  }

  boolean delete(String store, byte[] key, VectorClock upTo) throws RefusedException {
    return call(store, routed -> routed.delete(key, upTo));
  }

  private <T> T call(String store, Function<Store, T> action) throws RefusedException {
    try {
      return action.apply(client().store(store));
    } catch (ObsoleteVersionException e) {
      throw node.admission().refuse(ErrorCode.OBSOLETE_VERSION, String.valueOf(e.getMessage()));
    } catch (InsufficientNodesException e) {
      throw node.admission()
          .refuse(ErrorCode.INSUFFICIENT_OPERATIONAL_NODES, String.valueOf(e.getMessage()));
    } catch (RolledBackException e) {
      throw node.admission()
          .refuse(
              ErrorCode.UNREACHABLE_STORE,
              "the store was restored meanwhile: read the key and try again");
    } catch (StoreException e) {
      throw node.admission().refuse(ErrorCode.UNREACHABLE_STORE, String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw node.admission().refuse(ErrorCode.VOLDEMORT, "Unknown store '" + store + "'");
    }
  }

  private synchronized StoreClient client() throws RefusedException {
    if (closed) {
      throw node.admission().refuse(ErrorCode.UNREACHABLE_STORE, "the node is stopping");
    }
    StoreClient connected = client;
    if (connected == null) {
      List<String> addresses =
          node.config().cluster().nodes().stream()
              .map(each -> each.host() + ":" + each.socketPort())
              .toList();
      ClientConfig config =
          ClientConfig.of(addresses, Caller.ROUTER + node.node()).withRequestTimeout(NODE_TIMEOUT);
      connected = StoreClient.connect(tls == null ? config : config.withTls(tls.context()));
      client = connected;
    }
    return connected;
  }

  /** Running requests fail. */
  @Override
  public void close() {
    threads.getQueue().clear();
    threads.shutdown();
    StoreClient closing;
    synchronized (this) {
      closed = true;
      closing = client;
    }
    if (closing != null) {
      closing.close();
    }
  }
}
