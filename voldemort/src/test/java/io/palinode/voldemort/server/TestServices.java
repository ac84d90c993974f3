package io.palinode.voldemort.server;

import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.server.ServerConfig.Connections;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;

/** Node 0 of three with a socket, and its clients, for tests. */
final class TestServices {
  static final String META = StoreNode.METADATA;
  static final int IN_FLIGHT_MAX = 8;

  static final long REQUEST_BYTES_MAX = Frames.MESSAGE_BYTES_MAX + Integer.BYTES;
  static final Duration NEVER = Duration.ofDays(1);

  private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration BOUND = Duration.ofSeconds(10);

  private TestServices() {}

  /** Memory for one store, disk for the other. */
  static StoreService open(Path folder, int port, LongSupplier clock) {
    return open(folder, server(port, new Connections(4, 4, NEVER), BOUND), clock);
  }

  /** The same with other limits. */
  static StoreService open(Path folder, ServerConfig server, LongSupplier clock) {
    List<StoreDefinition> stores =
        List.of(
            TestNodes.stores(3, Persistence.BDB).get(0),
            TestNodes.stores(3, Persistence.MEMORY).get(1));
    StoreNodeConfig config = StoreNodeConfig.of(0, TestNodes.cluster(3), stores);
    return StoreService.open(
        new StoreServiceConfig(config, folder, BdbConfig.DEFAULT, server, null), clock);
  }

  /** With memory for one request of the longest. */
  static ServerConfig server(int port, Connections connections, Duration requestTimeout) {
    return new ServerConfig(
        "127.0.0.1",
        port,
        new ServerConfig.Limits(2, connections, IN_FLIGHT_MAX, REQUEST_BYTES_MAX),
        HANDSHAKE_TIMEOUT,
        requestTimeout,
        BOUND,
        null);
  }

  /** Of a connection that is alone. */
  static FrameBudget.Share share() {
    return new FrameBudget(REQUEST_BYTES_MAX).share();
  }

  static RawConnection connect(StoreService service) throws IOException {
    return RawConnection.pb0(service.port());
  }

  static RequestContext.Builder context() {
    return RequestContext.newBuilder().setClient("alice");
  }

  static String metadata(RawConnection connection, String key) throws IOException {
    GetResponse answer = connection.call(Requests.get(META, key), GetResponse.parser());
    return answer.getVersioned(0).getValue().toStringUtf8();
  }

  static List<String> values(GetResponse answer) {
    return answer.getVersionedList().stream().map(v -> v.getValue().toStringUtf8()).toList();
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
