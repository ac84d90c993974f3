package io.palinode.voldemort.request;

import io.palinode.detector.binding.StoreKey;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.vp.Route;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of all protocols: chooses the store, and checks that the node holds the key.
 * Thread-safe; blocks on storage.
 */
public final class StoreRequests {
  private static final Logger log = LoggerFactory.getLogger(StoreRequests.class);

  private final StoreNode node;
  private final SystemStores systemStores;
  private final @Nullable Routing routing;

  /** For a node that does not route. */
  public StoreRequests(StoreNode node) {
    this(node, new SystemStores(node), null);
  }

  private StoreRequests(StoreNode node, SystemStores systemStores, @Nullable Routing routing) {
    this.node = node;
    this.systemStores = systemStores;
    this.routing = routing;
  }

  /** The same, for a node that routes. */
  public StoreRequests withRouting(Routing newRouting) {
    return new StoreRequests(node, systemStores, newRouting);
  }

  /** Whether the node routes requests for {@code store}. */
  boolean routes(String store) {
    return routing != null && !SystemStores.has(store);
  }

  /** The refusal of a routed request above the limit, to throw; counted. */
  RefusedException tooManyRouted() {
    return node.admission()
        .refuse(
            ErrorCode.VOLDEMORT,
            "node %d routes %d other requests: try again later"
                .formatted(node.node(), Routing.THREADS + Routing.WAITING_MAX));
  }

  /** A store and the route type of the request. */
  record Target(String store, Route route) {
    boolean isOfTheSystem() {
      return SystemStores.has(store);
    }
  }

  @FunctionalInterface
  interface Request<T> {
    T run() throws RefusedException;
  }

  /** The result of {@code request}. A bug in it becomes a refusal. */
  <T> T run(Target target, Request<T> request) throws RefusedException {
    try {
      if (target.route() == Route.ROUTED && routing == null && !target.isOfTheSystem()) {
        throw node.admission()
            .refuse(
                ErrorCode.VOLDEMORT,
                "Unknown store '%s': this node does not route requests".formatted(target.store()));
      }
      return request.run();
    } catch (RuntimeException bug) {
      // The only catch-all of the node: a bug in one request must not close the connection of later
      // ones.
      log.error("node={} store={} failed", node.node(), target.store(), bug);
      throw node.admission()
          .refuse(ErrorCode.UNKNOWN_FAILURE, "node " + node.node() + " failed: " + bug);
    }
  }

  Reply<List<Versioned>> get(Target target, byte[] key, Caller caller) throws RefusedException {
    if (target.isOfTheSystem()) {
      return unfenced(systemStores.get(target.store(), key));
    }
    Routing router = router(target, caller);
    return router == null
        ? node.reads().get(held(target, key), caller)
        : unfenced(router.get(target.store(), key));
  }

  /** The versions of several keys, in the order of {@code keys}. */
  Reply<List<List<Versioned>>> getAll(Target target, List<byte[]> keys, Caller caller)
      throws RefusedException {
    if (target.isOfTheSystem()) {
      List<List<Versioned>> found = new ArrayList<>();
      for (byte[] key : keys) {
        found.add(systemStores.get(target.store(), key));
      }
      return unfenced(found);
    }
    Routing router = router(target, caller);
    if (router != null) {
      return unfenced(router.getAll(target.store(), keys));
    }
    for (byte[] key : keys) {
      StoreKey unused = held(target, key);
    }
    return node.reads().getAll(target.store(), keys, caller);
  }

  Reply<Boolean> put(Target target, byte[] key, Versioned versioned, Caller caller)
      throws RefusedException {
    return put(target, key, versioned, caller, null);
  }

  /**
   * @param seen see {@link io.palinode.voldemort.ClientWrites#put}
   */
  Reply<Boolean> put(
      Target target,
      byte[] key,
      Versioned versioned,
      Caller caller,
      @Nullable List<VectorClock> seen)
      throws RefusedException {
    if (target.isOfTheSystem()) {
      return unfenced(systemStores.put(target.store(), key, versioned));
    }
    Routing router = router(target, caller);
    return router == null
        ? node.writes().put(held(target, key), versioned, caller, seen)
        : unfenced(router.put(target.store(), key, versioned));
  }

  Reply<Boolean> delete(Target target, byte[] key, VectorClock upTo, Caller caller)
      throws RefusedException {
    if (target.isOfTheSystem()) {
      return unfenced(systemStores.delete(target.store(), key, upTo));
    }
    Routing router = router(target, caller);
    return router == null
        ? node.writes().delete(held(target, key), upTo, caller)
        : unfenced(router.delete(target.store(), key, upTo));
  }

  /** Null if this node serves the request. */
  private @Nullable Routing router(Target target, Caller caller) throws RefusedException {
    if (target.route() != Route.ROUTED) {
      return null;
    }
    if (!caller.equals(Caller.STOCK)) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT, "a client that sends a clock or an epoch must route by itself");
    }
    return routing;
  }

  /** The key, if the node holds it or the client asks for no check. Refused otherwise. */
  StoreKey held(Target target, byte[] key) throws RefusedException {
    StoreKey storeKey = new StoreKey(target.store(), key);
    if (target.route() != Route.IGNORE_CHECKS) {
      node.admission().requireHeld(storeKey);
    }
    return storeKey;
  }

  /** The keys without repetitions: an answer is a map. */
  static List<byte[]> distinct(List<byte[]> keys) {
    LinkedHashSet<ByteBuffer> distinct = new LinkedHashSet<>();
    keys.forEach(key -> distinct.add(ByteBuffer.wrap(key)));
    return distinct.stream().map(ByteBuffer::array).toList();
  }

  /** An answer that ignores the fence. */
  <T> Reply<T> unfenced(T value) {
    return new Reply<>(value, node.lastReading(), 0, node.fence().epoch());
  }
}
