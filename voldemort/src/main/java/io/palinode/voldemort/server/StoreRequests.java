package io.palinode.voldemort.server;

import io.palinode.detector.StoreKey;
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
 * What requests do, in whatever protocol they come: which store answers, and which keys are the
 * node's. Thread-safe; blocks for as long as storage takes.
 */
final class StoreRequests {
  private static final Logger log = LoggerFactory.getLogger(StoreRequests.class);

  private final StoreNode node;
  private final SystemStores systemStores;
  private final @Nullable Routing routing;

  /** Of a node that does not route. */
  StoreRequests(StoreNode node) {
    this(node, new SystemStores(node), null);
  }

  private StoreRequests(StoreNode node, SystemStores systemStores, @Nullable Routing routing) {
    this.node = node;
    this.systemStores = systemStores;
    this.routing = routing;
  }

  /** The same, but what is to be routed is. */
  StoreRequests withRouting(Routing newRouting) {
    return new StoreRequests(node, systemStores, newRouting);
  }

  /** Whether requests for {@code store} that are to be routed are. */
  boolean routes(String store) {
    return routing != null && !SystemStores.has(store);
  }

  /** The refusal of a request that is to be routed when there are too many, to throw; counted. */
  RefusedException tooManyRouted() {
    return node.refuse(
        ErrorCode.VOLDEMORT,
        "node %d routes %d other requests: try again later"
            .formatted(node.node(), Routing.THREADS + Routing.WAITING_MAX));
  }

  /** A store and how its keys are meant. */
  record Target(String store, Route route) {
    boolean isOfTheSystem() {
      return SystemStores.has(store);
    }
  }

  @FunctionalInterface
  interface Request<T> {
    T run() throws RefusedException;
  }

  /** What {@code request} gives. A bug in it, too, is a refusal. */
  <T> T run(Target target, Request<T> request) throws RefusedException {
    try {
      if (target.route() == Route.ROUTED && routing == null && !target.isOfTheSystem()) {
        throw node.refuse(
            ErrorCode.VOLDEMORT,
            "Unknown store '%s': this node does not route requests".formatted(target.store()));
      }
      return request.run();
    } catch (RuntimeException bug) {
      // The one catch-all of the node: a bug over one request must not end the connection of
      // others that are pipelined behind it.
      log.error("node={} store={} failed", node.node(), target.store(), bug);
      throw node.refuse(ErrorCode.UNKNOWN_FAILURE, "node " + node.node() + " failed: " + bug);
    }
  }

  Reply<List<Versioned>> get(Target target, byte[] key, Caller caller) throws RefusedException {
    if (target.isOfTheSystem()) {
      return unfenced(systemStores.get(target.store(), key));
    }
    Routing router = router(target, caller);
    return router == null
        ? node.get(held(target, key), caller)
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
    return node.getAll(target.store(), keys, caller);
  }

  Reply<Boolean> put(Target target, byte[] key, Versioned versioned, Caller caller)
      throws RefusedException {
    if (target.isOfTheSystem()) {
      return unfenced(systemStores.put(target.store(), key, versioned));
    }
    Routing router = router(target, caller);
    return router == null
        ? node.put(held(target, key), versioned, caller)
        : unfenced(router.put(target.store(), key, versioned));
  }

  Reply<Boolean> delete(Target target, byte[] key, VectorClock upTo, Caller caller)
      throws RefusedException {
    if (target.isOfTheSystem()) {
      return unfenced(systemStores.delete(target.store(), key, upTo));
    }
    Routing router = router(target, caller);
    return router == null
        ? node.delete(held(target, key), upTo, caller)
        : unfenced(router.delete(target.store(), key, upTo));
  }

  /** Null when the request is for this node. */
  private @Nullable Routing router(Target target, Caller caller) throws RefusedException {
    if (target.route() != Route.ROUTED) {
      return null;
    }
    if (!caller.equals(Caller.STOCK)) {
      throw node.refuse(
          ErrorCode.VOLDEMORT, "a client that tells a clock or an epoch routes by itself");
    }
    return routing;
  }

  /** A key that the node is to serve: one that it holds, unless the client wants no checks. */
  StoreKey held(Target target, byte[] key) throws RefusedException {
    StoreKey storeKey = new StoreKey(target.store(), key);
    if (target.route() != Route.IGNORE_CHECKS) {
      node.requireHeld(storeKey);
    }
    return storeKey;
  }

  /** Each key once: an answer is a map. */
  static List<byte[]> distinct(List<byte[]> keys) {
    LinkedHashSet<ByteBuffer> distinct = new LinkedHashSet<>();
    keys.forEach(key -> distinct.add(ByteBuffer.wrap(key)));
    return distinct.stream().map(ByteBuffer::array).toList();
  }

  /** An answer that does not ask whether the node is paused. */
  <T> Reply<T> unfenced(T value) {
    return new Reply<>(value, node.lastReading(), 0, node.fence().epoch());
  }
}
