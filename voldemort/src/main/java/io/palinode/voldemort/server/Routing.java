package io.palinode.voldemort.server;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.InsufficientNodesException;
import io.palinode.voldemort.client.ObsoleteVersionException;
import io.palinode.voldemort.client.RolledBackException;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.StoreException;
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
 * Does for clients that do not know the ring what other clients do by themselves: asks R, and
 * writes to W, of the nodes that hold a key. To those nodes it is one client, {@code router-<i>};
 * so it waits out a pause, for some seconds, and all that it writes is stamped in its order.
 * Thread-safe. Its requests run in threads of their own, for they wait for other nodes, and for
 * this one.
 */
final class Routing implements AutoCloseable {
  static final int THREADS = 16;
  static final int WAITING_MAX = 240;

  /** A pause is waited out for six times as long. */
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

  private final StoreNode node;
  private final ThreadPoolExecutor threads;
  private @Nullable StoreClient client;
  private boolean closed;

  Routing(StoreNode node) {
    this.node = node;
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

  /** False when there is no room for one more. */
  boolean offer(Runnable request) {
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

  /** The first node that accepts it increments its entry of the version's clock. */
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
      throw node.refuse(ErrorCode.OBSOLETE_VERSION, String.valueOf(e.getMessage()));
    } catch (InsufficientNodesException e) {
      throw node.refuse(ErrorCode.INSUFFICIENT_OPERATIONAL_NODES, String.valueOf(e.getMessage()));
    } catch (RolledBackException e) {
      throw node.refuse(
          ErrorCode.UNREACHABLE_STORE,
          "the store was taken back meanwhile: read it, and try again");
    } catch (StoreException e) {
      throw node.refuse(ErrorCode.UNREACHABLE_STORE, String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw node.refuse(ErrorCode.VOLDEMORT, "Unknown store '" + store + "'");
    }
  }

  private synchronized StoreClient client() throws RefusedException {
    if (closed) {
      throw node.refuse(ErrorCode.UNREACHABLE_STORE, "the node is stopping");
    }
    StoreClient connected = client;
    if (connected == null) {
      List<String> addresses =
          node.config().cluster().nodes().stream()
              .map(each -> each.host() + ":" + each.socketPort())
              .toList();
      connected =
          StoreClient.connect(
              ClientConfig.of(addresses, Caller.ROUTER + node.node())
                  .withRequestTimeout(NODE_TIMEOUT));
      client = connected;
    }
    return connected;
  }

  /** What is under way fails. */
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
