package io.palinode.voldemort.client.link;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.client.session.RefusedByFence;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.protocol.Pb0;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;

/**
 * One node as this client reaches it. A node that takes several requests on a connection has one
 * connection; one that takes one at a time, as stock nodes do, has some, so that keys do not wait
 * for each other. The requests of one key follow each other on the same one: a node sees them in
 * the order in which they were sent, except those that were on their way when the client detected
 * this. A get of several keys uses the connection of the first key alone: it may overtake requests
 * of the others.
 *
 * <p>Thread-safe. A connection that is not needed is not opened.
 */
public final class NodeLanes {
  private static final String NODE_ID = "node.id";

  private final List<NodeConnection> lanes = new ArrayList<>();

  public NodeLanes(int node, InetSocketAddress address, Transport transport) {
    for (int i = 0; i < transport.links().connectionsMax(); i++) {
      lanes.add(new NodeConnection(node, address, transport));
    }
  }

  public int node() {
    return lanes.get(0).node();
  }

  /**
   * Sends a request. The result fails with {@link NodeException}, {@link ObsoleteVersionException},
   * {@link RefusedByFence} or, once the client is closed, {@link StoreException}; it completes on
   * any thread. A question about the past fails so too, unsent, unless the node answers such
   * questions.
   */
  public <T> CompletableFuture<T> send(Ask<T> ask, long epoch) {
    return ask.request().hasPast() ? sendPast(ask, epoch) : laneOf(ask.request()).send(ask, epoch);
  }

  /** Asks first what the node accepts: an unknown type of request breaks a stock connection. */
  private <T> CompletableFuture<T> sendPast(Ask<T> ask, long epoch) {
    NodeConnection first = lanes.get(0);
    return first.acceptsPast()
        ? first.send(ask, epoch)
        : first
            .send(Ask.metadata(NODE_ID), epoch)
            .thenCompose(
                id ->
                    first.acceptsPast()
                        ? first.send(ask, epoch)
                        : CompletableFuture.failedFuture(first.refusal(Answer.NO_PAST)));
  }

  private NodeConnection laneOf(Pb0.VoldemortRequest request) {
    NodeConnection first = lanes.get(0);
    return first.takesOne()
        ? lanes.get(Math.floorMod(keyOf(request).hashCode(), lanes.size()))
        : first;
  }

  /** The first of several; empty without any. */
  public static ByteString keyOf(Pb0.VoldemortRequest request) {
    return switch (request.getType()) {
      case GET, GET_VERSION -> request.getGet().getKey();
      case PUT -> request.getPut().getKey();
      case DELETE -> request.getDelete().getKey();
      case PAST -> ByteString.EMPTY;
      case GET_ALL ->
          request.getGetAll().getKeysCount() == 0
              ? ByteString.EMPTY
              : request.getGetAll().getKeys(0);
    };
  }

  /** Gives up all requests of these epochs, wherever they are, except probes. */
  public void giveUp(LongPredicate epochs) {
    lanes.forEach(lane -> lane.giveUp(epochs));
  }

  /** Fails everything under way. Does not wait. */
  public void close() {
    lanes.forEach(NodeConnection::close);
  }
}
