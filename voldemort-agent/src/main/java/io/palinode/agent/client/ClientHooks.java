package io.palinode.agent.client;

import io.palinode.agent.boot.Frame;
import io.palinode.agent.boot.Listener;
import io.palinode.agent.boot.Operation;
import io.palinode.agent.boot.Ride;
import io.palinode.agent.boot.Writing;
import io.palinode.agent.stock.StockTypes;
import io.palinode.store.hosted.Fuse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns calls of a client's methods into operations and requests of a cluster. Called by the
 * application's threads, and by the client's threads that read responses.
 */
final class ClientHooks implements Listener {
  private static final String SYSTEM_STORES = "voldsys$";
  private static final String NEGOTIATION =
      "voldemort.store.socket.clientrequest.ProtocolNegotiatorClientRequest";
  private static final Object NO_CLIENT = new Object();

  private final ClientAgentConfig config;
  private final Fuse fuse;
  private final ThreadLocal<UnderWay> underWay = ThreadLocal.withInitial(UnderWay::new);

  /** By failure detector, which all stores of one client factory share. */
  private final Map<Object, ClusterClient> clusters =
      Collections.synchronizedMap(new WeakHashMap<>());

  ClientHooks(ClientAgentConfig config, Fuse fuse) {
    this.config = config;
    this.fuse = fuse;
  }

  /** The running operation and request of a thread. */
  static final class UnderWay {
    @Nullable RoutedOperation operation;
    @Nullable RequestRide riding;

    /**
     * The request whose failure or response the thread handles, inside or outside of {@code
     * operation}.
     */
    @Nullable RequestRide cause;
  }

  /** {@inheritDoc} Voldemort's system stores have no epoch. */
  @Override
  public Object clientOf(Object store) {
    StockTypes types = new StockTypes(store.getClass().getClassLoader());
    if (types.nameOf(store).startsWith(SYSTEM_STORES)) {
      return NO_CLIENT;
    }
    Object key = StockTypes.field(store, "failureDetector");
    return clusters.computeIfAbsent(key, detector -> new ClusterClient(config, types));
  }

  @Override
  public @Nullable Frame entered(
      Operation operation, Object engine, @Nullable Object key, @Nullable Object argument) {
    UnderWay mine = underWay.get();
    if (mine.operation != null || !(engine instanceof ClusterClient cluster)) {
      return null;
    }
    RoutedOperation begun = new RoutedOperation(cluster, mine);
    Frame refused = begun.begin();
    if (refused != null) {
      return refused;
    }
    mine.operation = begun;
    return begun;
  }

  /**
   * {@inheritDoc} The thread of one operation may detect that another's request failed. It may also
   * open a connection; the request that negotiates the protocol belongs to no operation.
   */
  @Override
  public @Nullable Ride requested(Object request) {
    if (request.getClass().getName().equals(NEGOTIATION)) {
      return null;
    }
    UnderWay mine = underWay.get();
    if (mine.cause != null) {
      return mine.cause.another();
    }
    return mine.operation == null ? null : mine.operation.request(underWay);
  }

  @Override
  public @Nullable Ride continues(@Nullable Ride ride) {
    UnderWay mine = underWay.get();
    RequestRide before = mine.cause;
    mine.cause = ride instanceof RequestRide known ? known : null;
    return before;
  }

  @Override
  public void repairs(List<?> values, List<?> repairs) {
    RoutedOperation operation = underWay.get().operation;
    if (operation != null) {
      operation.repairs(values, repairs);
    }
  }

  @Override
  public void received(Object builder) {
    RequestRide riding = underWay.get().riding;
    if (riding != null) {
      riding.received(builder);
    }
  }

  @Override
  public @Nullable Writing answering(Object message) throws IOException {
    RequestRide riding = underWay.get().riding;
    return riding == null ? null : riding.writing(message);
  }

  @Override
  public void failed(Throwable bug) {
    fuse.failed(bug);
  }

  // ---- only in a server

  @Override
  public void storeRemoved(Object engine) {}

  @Override
  public void decoding(byte[] record) {}

  @Override
  public void encoded(byte[] record) {}

  @Override
  public void requestEnded() {}
}
