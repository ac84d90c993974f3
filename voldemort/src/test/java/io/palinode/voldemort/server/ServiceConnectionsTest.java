package io.palinode.voldemort.server;

import static io.palinode.voldemort.TestNodes.EVERYWHERE;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.server.Requests.get;
import static io.palinode.voldemort.server.Requests.put;
import static io.palinode.voldemort.server.TestServices.IN_FLIGHT_MAX;
import static io.palinode.voldemort.server.TestServices.META;
import static io.palinode.voldemort.server.TestServices.awaitQuietly;
import static io.palinode.voldemort.server.TestServices.connect;
import static io.palinode.voldemort.server.TestServices.metadata;
import static io.palinode.voldemort.server.TestServices.open;
import static io.palinode.voldemort.server.TestServices.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.vp.VpVersion;
import io.palinode.voldemort.vp.WireBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of a node over real sockets: handshake, order, limits. */
class ServiceConnectionsTest {
  private final AtomicLong micros = TestNodes.clock();

  @TempDir Path data;
  private StoreService service;
  private StoreNode node;

  @BeforeEach
  void start() {
    service = open(data, 0, micros::get);
    service.start();
    node = service.node();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void theHandshakeMayComeInPiecesAndWithTheFirstRequest() throws IOException {
    try (RawConnection connection = new RawConnection(service.port())) {
      connection.send(new byte[] {'p'});
      connection.send(new byte[] {'b'});
      VoldemortRequest request = get(META, "node.id");
      byte[] rest = new byte[1 + 4 + request.getSerializedSize()];
      rest[0] = '0';
      rest[4] = (byte) request.getSerializedSize();
      System.arraycopy(request.toByteArray(), 0, rest, 5, rest.length - 5);
      connection.send(rest);
      assertThat(connection.text(2)).isEqualTo("ok");
      GetResponse answer = connection.answer(GetResponse.parser());
      assertThat(answer.getVersioned(0).getValue().toStringUtf8()).isEqualTo("0");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"vp4", "ad1", "pb1", "GET / HTTP/1.1\r\n"})
  void anUnknownProtocolIsAnsweredWithNoAndTheConnectionEnds(String protocol) throws IOException {
    try (RawConnection connection = new RawConnection(service.port())) {
      connection.send(TestNodes.bytes(protocol));
      assertThat(connection.text(2)).isEqualTo("no");
      assertThat(connection.isAtEnd()).isTrue();
    }
    assertThat(node.counters().get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void aConnectionWithoutAProtocolIsClosedInTimeAndAnotherStays() throws IOException {
    try (RawConnection silent = new RawConnection(service.port());
        RawConnection connected = connect(service)) {
      silent.send(new byte[] {'p'});
      assertThat(silent.isAtEnd()).isTrue();
      assertThat(connected.call(get(META, "node.id"), GetResponse.parser()).hasError()).isFalse();
    }
    assertThat(node.counters().get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void requestsAboveTheLimitInFlightAreAnsweredInOrder() throws IOException {
    int requests = 40 * IN_FLIGHT_MAX;
    try (RawConnection connection = connect(service)) {
      for (int i = 0; i < requests; i++) {
        connection.send(put("k", "v" + i, i + 1));
        connection.send(get(EVERYWHERE, "k"));
      }
      for (int i = 0; i < requests; i++) {
        assertThat(connection.answer(PutResponse.parser()).hasError()).isFalse();
        assertThat(values(connection.answer(GetResponse.parser()))).containsExactly("v" + i);
      }
    }
    assertThat(node.counters().get(NodeCounter.THROTTLED)).isPositive();
  }

  @Test
  void aNodeDoesNotReadFromAClientThatReadsNoAnswers() throws Exception {
    int requests = 400;
    try (RawConnection connection = connect(service)) {
      connection.call(put("big", "x".repeat(1 << 20), 1), PutResponse.parser());
      Thread sender = new Thread(() -> sendGets(connection, requests), "sender");
      sender.start();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> node.counters().get(NodeCounter.THROTTLED) > 0);
      // The answers would take 400 MiB. Only the limit in flight and the sockets' buffers have run.
      long run = node.counters().get(NodeCounter.GETS);
      for (int i = 0; i < requests; i++) {
        assertThat(connection.answer(GetResponse.parser()).getVersionedCount()).isEqualTo(1);
      }
      assertThat(run).isLessThan(requests);
      sender.join(10_000);
    }
    assertThat(node.counters().get(NodeCounter.GETS)).isEqualTo(requests);
  }

  private static void sendGets(RawConnection connection, int requests) {
    try {
      for (int i = 0; i < requests; i++) {
        connection.send(get(EVERYWHERE, "big"));
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffffffff", "7fffffff", "00000003 ffffff", "00000000"})
  void invalidBytesCloseOnlyTheirConnection(String hex) throws IOException {
    try (RawConnection connection = connect(service);
        RawConnection other = connect(service)) {
      connection.sendHex(hex);
      assertThat(connection.isAtEnd()).isTrue();
      assertThat(metadata(other, "node.id")).isEqualTo("0");
    }
    assertThat(node.counters().get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void noRequestAfterInvalidBytesRuns() throws IOException {
    byte[] put =
        io.palinode.voldemort.vp.VpRequests.of(VpVersion.VP1)
            .put(EVERYWHERE, TestNodes.bytes("k"), vector(1).encode(), TestNodes.bytes("v"));
    try (RawConnection connection = new RawConnection(service.port())) {
      connection.send(TestNodes.bytes("vp1"));
      assertThat(connection.text(2)).isEqualTo("ok");
      // A GET_ALL of too many keys, directly followed by a put.
      connection.send(new WireBytes().u8(4).utf("s").u8(0).i32(1 << 30).raw(put).toBytes());
      assertThat(connection.isAtEnd()).isTrue();
    }
    assertThat(node.siblings(TestNodes.key("k"))).isEmpty();
    assertThat(node.counters().get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void connectionsAboveTheLimitAreClosedAtOnce() throws IOException {
    List<RawConnection> open = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      open.add(connect(service));
    }
    try (RawConnection tooMany = new RawConnection(service.port())) {
      assertThat(tooMany.isAtEnd()).isTrue();
    }
    assertThat(node.counters().get(NodeCounter.CONNECTIONS_REFUSED)).isEqualTo(1);
    for (RawConnection connection : open) {
      connection.close();
    }
  }

  @Test
  void theLimitHoldsWhileAllThreadsAreBusy() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    node.listen(
        event -> {
          arrived.countDown();
          awaitQuietly(resume);
        });
    try (RawConnection one = connect(service);
        RawConnection two = connect(service);
        RawConnection three = new RawConnection(service.port());
        RawConnection four = new RawConnection(service.port())) {
      one.send(put("k", "v", 1));
      arrived.await();
      // This write waits for the first one, so both threads are busy.
      two.send(put("k2", "v", 1));
      try (RawConnection tooMany = new RawConnection(service.port())) {
        assertThat(tooMany.isAtEnd()).isTrue();
      }
      three.send(TestNodes.bytes("pb0"));
      four.send(TestNodes.bytes("pb0"));
      resume.countDown();
      assertThat(one.answer(PutResponse.parser()).hasError()).isFalse();
      assertThat(two.answer(PutResponse.parser()).hasError()).isFalse();
      assertThat(three.text(2)).isEqualTo("ok");
      assertThat(four.text(2)).isEqualTo("ok");
    } finally {
      resume.countDown();
    }
  }
}
