package io.palinode.voldemort.client;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.client.link.Answer;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.link.LinkListener;
import io.palinode.voldemort.client.link.NodeLanes;
import io.palinode.voldemort.client.link.Transport;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.PausedException;
import io.palinode.voldemort.client.session.RefusedByFence;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.Node;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The nodes of a cluster as one client works with them: calls and their epochs, questions to
 * several nodes, copies. Thread-safe; calls block, and must not be made on the event thread.
 */
final class Replicas {
  private final Transport transport;
  private final ReplicaOrder order;
  private final ClientMetrics metrics = new ClientMetrics();
  private final Duration preferredTimeout;
  private final Copies copies;
  private final Map<Integer, NodeLanes> connections = new LinkedHashMap<>();

  Replicas(Cluster cluster, ClientConfig config, Transport bootstrap) {
    this.order = config.routing().order();
    this.transport =
        new Transport(
            bootstrap.threads(),
            config.links(),
            bootstrap.session(),
            new Observations(),
            bootstrap.nanoTime());
    this.preferredTimeout = config.preferredTimeout();
    for (Node node : cluster.nodes()) {
      InetSocketAddress address =
          InetSocketAddress.createUnresolved(node.host(), node.socketPort());
      connections.put(node.id(), new NodeLanes(node.id(), address, transport));
    }
    this.copies = new Copies(connections.keySet(), transport, metrics);
  }

  private final class Observations implements LinkListener {
    @Override
    public void answered(int node, long nanos) {
      order.answered(node, nanos);
    }

    @Override
    public void failed(int node) {
      order.failed(node);
    }

    @Override
    public void reconnected() {
      metrics.reconnects.increment();
    }

    @Override
    public void refused() {
      metrics.requestsRefused.increment();
    }
  }

  /**
   * Runs a call, again and again while nodes are paused. Throws {@link RolledBackException} when
   * its epoch ends meanwhile, and whatever {@code work} throws.
   */
  <T> T run(Function<Call, T> work) {
    Session session = transport.session();
    Duration pauseMax = transport.links().pauseMax();
    Call call = new Call(session.begin(), transport.nanoTime().getAsLong() + pauseMax.toNanos());
    for (Duration pause = Call.PAUSE_MIN; ; pause = Call.longer(pause)) {
      try {
        T result = work.apply(call);
        session.requireCurrent(call.epoch());
        return result;
      } catch (RefusedByFence e) {
        session.requireCurrent(call.epoch());
        if (call.isOverdue(transport.nanoTime().getAsLong())) {
          throw new PausedException(
              "paused for longer than " + pauseMax.toMillis() + " ms", e.epoch());
        }
      } catch (StoreException e) {
        // What made it fail may be that its epoch is over.
        session.requireCurrent(call.epoch());
        throw e;
      }
      metrics.pauseRetries.increment();
      session.pause(pause);
    }
  }

  /** Waits for a result. Throws what it failed with. */
  static <T> T await(CompletableFuture<T> result) {
    try {
      return result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while nodes were asked", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("a request failed in an unexpected way", e);
    }
  }

  List<Integer> order(List<Integer> preferenceList) {
    return order.order(preferenceList);
  }

  /** All nodes, the one to ask first first. */
  List<Integer> order() {
    return order(List.copyOf(connections.keySet()));
  }

  <T> CompletableFuture<T> ask(int node, Ask<T> ask, Call call) {
    return connection(node).send(ask, session().view().epochFor(call.epoch()));
  }

  private NodeLanes connection(int node) {
    NodeLanes connection = connections.get(node);
    if (connection == null) {
      throw new IllegalArgumentException("no such node in the cluster: node=" + node);
    }
    return connection;
  }

  /** Asks as many nodes as are preferred, in order; the next one where too few answer. */
  <T> CompletableFuture<Map<Integer, T>> gather(
      List<Integer> order, Quorum quorum, Ask<T> ask, Call call) {
    String operation = ask.request().getType() + " on " + ask.request().getStore();
    Gather<T> gather = new Gather<T>(operation, quorum, node -> ask(node, ask, call));
    return start(gather, order, quorum.preferred());
  }

  /** As {@link Gather#start}, which waits for preferred answers until their time is over. */
  <T> CompletableFuture<Map<Integer, T>> start(Gather<T> gather, List<Integer> nodes, int atOnce) {
    CompletableFuture<Map<Integer, T>> result = gather.start(nodes, atOnce);
    if (gather.prefersMore() && !result.isDone()) {
      try {
        Future<?> end =
            transport
                .threads()
                .schedule(gather::preferNoMore, preferredTimeout.toNanos(), TimeUnit.NANOSECONDS);
        var unused = result.whenComplete((answers, failure) -> end.cancel(false));
      } catch (RejectedExecutionException closed) {
        gather.preferNoMore();
      }
    }
    return result;
  }

  /** Sends a request that looks for the end of a rollback; what it fails with is no matter. */
  void probe(int node, Ask<?> ask) {
    var unused = connection(node).send(ask.asProbe(), transport.session().view().epoch());
  }

  Session session() {
    return transport.session();
  }

  ClientMetrics metrics() {
    return metrics;
  }

  /** Blocks while too many copies are in flight to one of the nodes. */
  void awaitRoom(List<Integer> nodes) {
    copies.awaitRoom(nodes);
  }

  /** Sends a copy of what another node has accepted in that epoch; see {@link Copies}. */
  CompletableFuture<Answer.Accepted> copy(
      int node, Ask<Answer.Accepted> ask, Call call, long acceptedIn) {
    return copies.send(connection(node), ask, call, acceptedIn);
  }

  /** See {@link Copies#beforeRead}. */
  long beforeRead(String store, ByteString key) {
    return copies.beforeRead(store, key);
  }

  /** Sends, as a copy, what the node lacks; see {@link Copies#repair}. */
  void repair(int node, Ask<Answer.Accepted> ask, Call call, long readIn, long beforeRead) {
    copies.repair(connection(node), ask, call, readIn, beforeRead);
  }

  /** Gives up all that is under way in an epoch that is over, except probes. */
  void epochOver() {
    EpochView view = transport.session().view();
    copies.giveUp(view::isOver);
    for (NodeLanes connection : connections.values()) {
      connection.giveUp(view::isOver);
    }
  }

  /**
   * Waits for copies in flight, some seconds at most; then fails all calls. Does not wait for
   * connections to close.
   */
  void close() {
    copies.flush();
    transport.session().close();
    connections.values().forEach(NodeLanes::close);
    copies.close();
  }
}
