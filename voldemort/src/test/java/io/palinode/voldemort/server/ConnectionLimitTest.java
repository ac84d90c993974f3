package io.palinode.voldemort.server;

import static io.palinode.voldemort.server.Requests.put;
import static io.palinode.voldemort.server.TestServices.NEVER;
import static io.palinode.voldemort.server.TestServices.metadata;
import static io.palinode.voldemort.server.TestServices.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.server.ServerConfig.Connections;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many connections, over real sockets. */
class ConnectionLimitTest {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final int STRANGERS = 5_000;
  private static final int POOL = 20;

  private final List<RawConnection> open = new ArrayList<>();

  @TempDir Path data;

  @AfterEach
  void close() throws IOException {
    for (RawConnection connection : open) {
      connection.close();
    }
  }

  private StoreService start(Connections limits) {
    StoreService service =
        TestServices.open(data, server(0, limits, BOUND), TestNodes.clock()::get);
    service.start();
    return service;
  }

  /** Whether the node accepts another connection; it stays open. */
  private boolean isServed(StoreService service) throws IOException {
    RawConnection connection = new RawConnection(service.port());
    open.add(connection);
    try {
      connection.send(TestNodes.bytes("pb0"));
      return connection.text(2).equals("ok");
    } catch (IOException refused) {
      return false;
    }
  }

  @Test
  void idleConnectionsByTheThousandKeepNoClientOut() throws IOException {
    try (StoreService service = start(new Connections(200, 200, Duration.ofSeconds(2)));
        RawConnection working = RawConnection.pb0(service.port())) {
      for (int i = 1; i <= STRANGERS; i++) {
        boolean unused = isServed(service);
        if (i % 50 == 0) {
          PutResponse answer = working.call(put("k", "v" + i, i), PutResponse.parser());
          assertThat(answer.hasError()).isFalse();
        }
      }
      await("a new client").atMost(BOUND).until(() -> isServed(service));
      assertThat(service.node().counters().get(NodeCounter.CONNECTIONS_CLOSED_IDLE)).isPositive();
    }
  }

  @Test
  void anIdleConnectionMakesRoomAndTheRestOfThePoolStays() throws IOException {
    try (StoreService service = start(new Connections(POOL, POOL, Duration.ofMillis(50)))) {
      List<RawConnection> pool = new ArrayList<>();
      for (int i = 0; i < POOL; i++) {
        pool.add(RawConnection.pb0(service.port()));
      }
      open.addAll(pool);
      await("a place").atMost(BOUND).until(() -> isServed(service));
      assertThat(service.node().counters().get(NodeCounter.CONNECTIONS_CLOSED_IDLE)).isEqualTo(1);
      int alive = 0;
      for (RawConnection connection : pool) {
        alive += isAlive(connection) ? 1 : 0;
      }
      assertThat(alive).isEqualTo(POOL - 1);
    }
  }

  private static boolean isAlive(RawConnection connection) {
    try {
      return metadata(connection, "node.id").equals("0");
    } catch (IOException closed) {
      return false;
    }
  }

  @Test
  void oneAddressLeavesRoomForOthers() throws IOException {
    try (StoreService service = start(new Connections(4, 2, NEVER))) {
      assertThat(isServed(service)).isTrue();
      assertThat(isServed(service)).isTrue();
      assertThat(isServed(service)).isFalse();
      InetAddress other = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
      try (RawConnection from = new RawConnection(service.port(), other)) {
        from.send(TestNodes.bytes("pb0"));
        assertThat(from.text(2)).isEqualTo("ok");
      }
      assertThat(service.node().counters().get(NodeCounter.CONNECTIONS_REFUSED)).isEqualTo(1);
    }
  }
}
