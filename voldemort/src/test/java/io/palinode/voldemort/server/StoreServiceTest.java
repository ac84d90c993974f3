package io.palinode.voldemort.server;

import static io.palinode.voldemort.TestNodes.EVERYWHERE;
import static io.palinode.voldemort.TestNodes.ONCE;
import static io.palinode.voldemort.TestNodes.keyOn;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static io.palinode.voldemort.server.Requests.delete;
import static io.palinode.voldemort.server.Requests.get;
import static io.palinode.voldemort.server.Requests.getAll;
import static io.palinode.voldemort.server.Requests.getVersion;
import static io.palinode.voldemort.server.Requests.put;
import static io.palinode.voldemort.server.Requests.routedAs;
import static io.palinode.voldemort.server.Requests.shouldRoute;
import static io.palinode.voldemort.server.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.detector.SequentialKeys;
import io.palinode.detector.StoreBinding.KeyRecord;
import io.palinode.detector.StoreKey;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.store.order.ClockBehindException;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.StoreNodeConfig;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.bdb.BdbConfig;
import io.palinode.voldemort.bdb.DataFolderException;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.DeleteResponse;
import io.palinode.voldemort.protocol.Pb0.Fence;
import io.palinode.voldemort.protocol.Pb0.GetAllResponse;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.GetVersionResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.vp.VpVersion;
import io.palinode.voldemort.vp.WireBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A whole node, over real sockets, frame by frame. */
class StoreServiceTest {
  private static final String META = StoreNode.METADATA;
  private static final int IGNORE_CHECKS = 2;
  private static final int IN_FLIGHT_MAX = 8;
  private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(1);

  private final AtomicLong micros = TestNodes.clock();

  @TempDir Path data;
  private StoreService service;
  private StoreNode node;

  @BeforeEach
  void start() {
    service = open(data, 0);
    service.start();
    node = service.node();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private StoreService open(Path folder, int port) {
    return open(folder, port, micros::get);
  }

  /** Memory for one store, disk for the other. */
  private static StoreService open(Path folder, int port, LongSupplier clock) {
    List<StoreDefinition> stores =
        List.of(
            TestNodes.stores(3, Persistence.BDB).get(0),
            TestNodes.stores(3, Persistence.MEMORY).get(1));
    ServerConfig server =
        new ServerConfig(
            "127.0.0.1", port, 2, 4, HANDSHAKE_TIMEOUT, IN_FLIGHT_MAX, Duration.ofSeconds(10));
    StoreNodeConfig config = StoreNodeConfig.of(0, TestNodes.cluster(3), stores);
    return StoreService.open(
        new StoreServiceConfig(config, folder, BdbConfig.DEFAULT, server, null), clock);
  }

  @Test
  void aStartWaitsForAClockThatIsALittleBehindAndRefusesOneThatWasSetBack() {
    service.close();
    long last = Hlc.micros(node.clock().last().own());
    micros.set(last - 3_600_000_000L);
    assertThatThrownBy(() -> open(data, 0))
        .isInstanceOf(ClockBehindException.class)
        .hasMessageContaining("set it right");
    micros.set(last - 50_000);
    service = open(data, 0, () -> micros.addAndGet(10_000));
    assertThat(micros.get()).isGreaterThanOrEqualTo(last);
  }

  private RawConnection connect() throws IOException {
    return RawConnection.pb0(service.port());
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
  void anotherProtocolIsToldNoAndTheConnectionEnds(String protocol) throws IOException {
    try (RawConnection connection = new RawConnection(service.port())) {
      connection.send(TestNodes.bytes(protocol));
      assertThat(connection.text(2)).isEqualTo("no");
      assertThat(connection.isAtEnd()).isTrue();
    }
    assertThat(node.counters().get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void aConnectionThatNamesNoProtocolIsClosedInTimeAndOneThatNamedOneStays() throws IOException {
    try (RawConnection silent = new RawConnection(service.port());
        RawConnection connected = connect()) {
      silent.send(new byte[] {'p'});
      assertThat(silent.isAtEnd()).isTrue();
      assertThat(connected.call(get(META, "node.id"), GetResponse.parser()).hasError()).isFalse();
    }
    assertThat(node.counters().get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void anAnswerThatIsTooLongIsRefusedAndTheConnectionGoesOn() throws Exception {
    StoreKey key = keyOn(0);
    byte[] half = new byte[Frames.MESSAGE_BYTES_MAX / 2];
    byte[] both =
        Siblings.encode(List.of(new Versioned(half, vector(1)), new Versioned(half, vector(0, 1))));
    // No put may make it so long, but what replicas have together may be.
    node.pause(1);
    var unused = node.merge(List.of(new KeyRecord(key, both, new byte[0])));
    node.resume(1, 0, 0);
    String name = new String(key.key(), StandardCharsets.UTF_8);
    try (RawConnection connection = connect()) {
      GetResponse refused = connection.call(get(ONCE, name), GetResponse.parser());
      assertThat(refused.getError().getErrorCode()).isEqualTo(ErrorCode.VOLDEMORT.code());
      assertThat(refused.getError().getErrorMessage()).contains("at most 67108864 bytes");
      assertThat(connection.call(get(META, "node.id"), GetResponse.parser()).hasError()).isFalse();
    }
  }

  /** The bytes of a stock client: put k = v with clock {0:1} at time 5, get k, put it again. */
  @Test
  void aStockPutAndGetHaveTheBytesOfTheProtocol() throws IOException {
    try (RawConnection connection = connect()) {
      String store = "1a0a 65766572797768657265";
      String put = "32 12 0a01 6b 12 0d 0a01 76 1208 0a04 0800 1001 1005";
      connection.sendHex("00000024 0802 1000" + store + put);
      assertThat(connection.hex(4)).isEqualTo("00000000");
      connection.sendHex("00000015 0800 1000" + store + "22 03 0a01 6b");
      assertThat(connection.hex(4 + 15))
          .isEqualTo("0000000f" + "0a0d0a01761208" + "0a0408001001" + "1005");
      connection.sendHex("00000024 0802 1000" + store + put);
      assertThat(connection.answer(PutResponse.parser()).getError().getErrorCode()).isEqualTo(4);
    }
  }

  @Test
  void putsGetsAndDeletesKeepTheStockRules() throws IOException {
    try (RawConnection connection = connect()) {
      assertThat(connection.call(put("k", "left", 1), PutResponse.parser()))
          .isEqualTo(PutResponse.getDefaultInstance());
      connection.call(put("k", "right", 0, 1), PutResponse.parser());
      assertThat(values(connection.call(get(EVERYWHERE, "k"), GetResponse.parser())))
          .containsExactlyInAnyOrder("left", "right");
      assertThat(
              connection
                  .call(getVersion(EVERYWHERE, "k"), GetVersionResponse.parser())
                  .getVersionsList())
          .extracting(VectorClock::fromProto)
          .containsExactlyInAnyOrder(vector(1), vector(0, 1));
      GetAllResponse all =
          connection.call(getAll(EVERYWHERE, "none", "k"), GetAllResponse.parser());
      assertThat(all.getValuesList()).hasSize(1);
      assertThat(all.getValues(0).getVersionsCount()).isEqualTo(2);
      VoldemortRequest delete = delete(EVERYWHERE, "k", vector(1));
      assertThat(connection.call(delete, DeleteResponse.parser()).getSuccess()).isTrue();
      assertThat(connection.call(delete, DeleteResponse.parser()).getSuccess()).isFalse();
      assertThat(values(connection.call(get(EVERYWHERE, "k"), GetResponse.parser())))
          .containsExactly("right");
      assertThat(values(connection.call(get(EVERYWHERE, "absent"), GetResponse.parser())))
          .isEmpty();
      connection.call(put("", "empty key", 1), PutResponse.parser());
      assertThat(values(connection.call(get(EVERYWHERE, ""), GetResponse.parser())))
          .containsExactly("empty key");
    }
  }

  static Stream<Arguments> refusals() {
    String elsewhere = new String(keyOn(1).key(), java.nio.charset.StandardCharsets.UTF_8);
    VoldemortRequest noPart = get("nope", "k").toBuilder().clearGet().build();
    return Stream.of(
        // request, parser of its response, error code, text
        Arguments.of(get("nope", "k"), GetResponse.parser(), 1, "store not found"),
        Arguments.of(getVersion("nope", "k"), GetVersionResponse.parser(), 1, "store not found"),
        Arguments.of(getAll("nope", "k"), GetAllResponse.parser(), 1, "store not found"),
        Arguments.of(getAll("nope"), GetAllResponse.parser(), 1, "store not found"),
        Arguments.of(put("nope", "k", version("v", 1)), PutResponse.parser(), 1, "store not found"),
        Arguments.of(delete("nope", "k", vector(1)), DeleteResponse.parser(), 1, "store not found"),
        Arguments.of(get(ONCE, elsewhere), GetResponse.parser(), 9, "not held by node 0"),
        Arguments.of(getVersion(ONCE, elsewhere), GetVersionResponse.parser(), 9, "not held"),
        Arguments.of(getAll(ONCE, elsewhere), GetAllResponse.parser(), 9, "not held"),
        Arguments.of(put(ONCE, elsewhere, version("v", 1)), PutResponse.parser(), 9, "not held"),
        Arguments.of(delete(ONCE, elsewhere, vector(1)), DeleteResponse.parser(), 9, "not held"),
        // Nobody is where the cluster of this test says that nodes are.
        Arguments.of(shouldRoute(get(EVERYWHERE, "k")), GetResponse.parser(), 7, "no store node"),
        Arguments.of(shouldRoute(put("k", "v", 1)), PutResponse.parser(), 7, "no store node"),
        Arguments.of(get(META, "what"), GetResponse.parser(), 22, "key of metadata"),
        Arguments.of(put(META, "x", version("v", 1)), PutResponse.parser(), 16, "metadata"),
        Arguments.of(delete(META, "x", vector(1)), DeleteResponse.parser(), 1, "metadata"),
        Arguments.of(noPart, GetResponse.parser(), 1, "needs its part 'get'"),
        Arguments.of(
            put(EVERYWHERE, "k", version("v", 1)).toBuilder().clearPut().build(),
            PutResponse.parser(),
            1,
            "needs its part 'put'"),
        Arguments.of(badClock(put("k", "v", 1)), PutResponse.parser(), 1, "40000"),
        Arguments.of(
            with(context().setHvc(ByteString.copyFromUtf8("junk")), get(EVERYWHERE, "k")),
            GetResponse.parser(),
            1,
            "encoded HVC"),
        Arguments.of(
            with(context().setOrigin(3), put("k", "v", 1)), PutResponse.parser(), 1, "origin=3"),
        Arguments.of(
            with(context().setClient("c".repeat(256)), get(EVERYWHERE, "k")),
            GetResponse.parser(),
            1,
            "at most 255 characters: length=256"));
  }

  private static VoldemortRequest badClock(VoldemortRequest put) {
    VoldemortRequest.Builder bad = put.toBuilder();
    bad.getPutBuilder()
        .getVersionedBuilder()
        .getVersionBuilder()
        .getEntriesBuilder(0)
        .setNodeId(40_000);
    return bad.build();
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aRequestThatCannotBeServedGetsItsErrorAndTheConnectionGoesOn(
      VoldemortRequest request,
      com.google.protobuf.Parser<? extends MessageLite> parser,
      int code,
      String text)
      throws Exception {
    try (RawConnection connection = connect()) {
      Pb0.Error error = errorOf(connection.call(request, parser));
      assertThat(error.getErrorCode()).isEqualTo(code);
      assertThat(error.getErrorMessage()).contains(text);
      assertThat(values(connection.call(get(META, "node.id"), GetResponse.parser())))
          .containsExactly("0");
    }
    assertThat(node.counters().get(NodeCounter.ERRORS)).isEqualTo(1);
  }

  private static Pb0.Error errorOf(MessageLite answer) throws ReflectiveOperationException {
    return (Pb0.Error) answer.getClass().getMethod("getError").invoke(answer);
  }

  @Test
  void aKeyOfAnotherNodeIsServedWhenTheClientWantsNoChecks() throws IOException {
    String elsewhere = new String(keyOn(1).key(), java.nio.charset.StandardCharsets.UTF_8);
    try (RawConnection connection = connect()) {
      VoldemortRequest put = put(ONCE, elsewhere, version("v", 1));
      assertThat(connection.call(routedAs(IGNORE_CHECKS, put), PutResponse.parser()).hasError())
          .isFalse();
      VoldemortRequest get = routedAs(IGNORE_CHECKS, get(ONCE, elsewhere));
      assertThat(values(connection.call(get, GetResponse.parser()))).containsExactly("v");
    }
  }

  @Test
  void aClientCanBootstrapAlsoWhileTheNodeIsPaused() throws IOException {
    node.pause(1);
    try (RawConnection connection = connect()) {
      assertThat(Cluster.parse("cluster.xml", metadata(connection, "cluster.xml")))
          .isEqualTo(TestNodes.cluster(3));
      assertThat(StoreDefinition.parse("stores.xml", metadata(connection, "stores.xml")))
          .isEqualTo(node.config().stores());
      assertThat(StoreDefinition.parse("once", metadata(connection, ONCE)))
          .containsExactly(node.config().stores().get(1));
      assertThat(metadata(connection, "server.state")).isEqualTo("NORMAL_SERVER");
      GetAllResponse both =
          connection.call(getAll(META, "node.id", "server.state"), GetAllResponse.parser());
      assertThat(both.getValuesCount()).isEqualTo(2);
      ResponseContext context =
          connection
              .call(with(context(), get(META, "node.id")), GetResponse.parser())
              .getPalinode();
      assertThat(context.hasEpoch()).as("it has not begun").isFalse();
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrderBeyondTheLimitInFlight() throws IOException {
    int requests = 40 * IN_FLIGHT_MAX;
    try (RawConnection connection = connect()) {
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
  void aClientThatDoesNotTakeItsAnswersIsNotReadFrom() throws Exception {
    int requests = 400;
    try (RawConnection connection = connect()) {
      connection.call(put("big", "x".repeat(1 << 20), 1), PutResponse.parser());
      Thread sender = new Thread(() -> sendGets(connection, requests), "sender");
      sender.start();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> node.counters().get(NodeCounter.THROTTLED) > 0);
      // The answers would take 400 MiB; what was run stays within the limit in flight and what
      // the sockets hold.
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
  void bytesThatAreNoRequestEndTheConnectionOnly(String hex) throws IOException {
    try (RawConnection connection = connect();
        RawConnection other = connect()) {
      connection.sendHex(hex);
      assertThat(connection.isAtEnd()).isTrue();
      assertThat(metadata(other, "node.id")).isEqualTo("0");
    }
    assertThat(node.counters().get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void nothingBehindBytesThatAreNoRequestIsRun() throws IOException {
    byte[] put =
        io.palinode.voldemort.vp.VpRequests.of(VpVersion.VP1)
            .put(EVERYWHERE, TestNodes.bytes("k"), vector(1).encode(), TestNodes.bytes("v"));
    try (RawConnection connection = new RawConnection(service.port())) {
      connection.send(TestNodes.bytes("vp1"));
      assertThat(connection.text(2)).isEqualTo("ok");
      // A GET_ALL of far too many keys, and right behind it a put.
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
      open.add(connect());
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
  void theLimitHoldsThoughNoThreadHasTimeForAConnection() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    node.listen(
        event -> {
          arrived.countDown();
          awaitQuietly(goOn);
        });
    try (RawConnection one = connect();
        RawConnection two = connect();
        RawConnection three = new RawConnection(service.port());
        RawConnection four = new RawConnection(service.port())) {
      one.send(put("k", "v", 1));
      arrived.await();
      // For what the first holds: so both threads are busy.
      two.send(put("k2", "v", 1));
      try (RawConnection tooMany = new RawConnection(service.port())) {
        assertThat(tooMany.isAtEnd()).isTrue();
      }
      three.send(TestNodes.bytes("pb0"));
      four.send(TestNodes.bytes("pb0"));
      goOn.countDown();
      assertThat(one.answer(PutResponse.parser()).hasError()).isFalse();
      assertThat(two.answer(PutResponse.parser()).hasError()).isFalse();
      assertThat(three.text(2)).isEqualTo("ok");
      assertThat(four.text(2)).isEqualTo("ok");
    } finally {
      goOn.countDown();
    }
  }

  @Test
  void whatRidesAlongWithARequestRidesBackWithItsResponse() throws IOException {
    Hvc known = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 9), 0);
    RequestContext.Builder knows =
        context().setHvc(ByteString.copyFrom(HvcCodec.encode(known))).setEpoch(0).setOrigin(1);
    node.safePoint(77);
    try (RawConnection connection = connect()) {
      PutResponse put = connection.call(with(knows, put("k", "v", 1)), PutResponse.parser());
      Hvc hvc = HvcCodec.decode(put.getPalinode().getHvc().toByteArray());
      assertThat(hvc.owner()).isZero();
      assertThat(hvc.own()).isEqualTo(put.getPalinode().getAcceptedAt());
      assertThat(hvc.get(1)).isEqualTo(known.get(1));
      assertThat(put.getPalinode().getSafePoint()).isEqualTo(77);
      assertThat(put.getPalinode().hasEpoch()).isTrue();
      assertThat(put.getPalinode().hasFence()).isFalse();
      GetResponse get =
          connection.call(with(context(), get(EVERYWHERE, "k")), GetResponse.parser());
      assertThat(HvcCodec.decode(get.getPalinode().getHvc().toByteArray()).own())
          .isGreaterThan(hvc.own());
      assertThat(get.getPalinode().hasAcceptedAt()).isFalse();
      PutResponse obsolete = connection.call(with(knows, put("k", "v", 1)), PutResponse.parser());
      assertThat(obsolete.getError().getErrorCode()).isEqualTo(4);
      assertThat(obsolete.getPalinode().hasAcceptedAt()).isFalse();
      assertThat(obsolete.getPalinode().hasHvc()).isTrue();
    }
  }

  @Test
  void aBrokenClockIsRefusedWithBothClocksNamed() throws IOException {
    Hvc broken = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 600_000), 0);
    RequestContext.Builder knows = context().setHvc(ByteString.copyFrom(HvcCodec.encode(broken)));
    try (RawConnection connection = connect()) {
      PutResponse put = connection.call(with(knows, put("k", "v", 1)), PutResponse.parser());
      assertThat(put.getError().getErrorMessage())
          .contains("node 0 at " + micros.get(), "of node 1", "600000 µs ahead");
      assertThat(values(connection.call(get(EVERYWHERE, "k"), GetResponse.parser()))).isEmpty();
    }
  }

  @Test
  void aFenceRidesBackInEveryKindOfResponse() throws IOException {
    try (RawConnection connection = connect()) {
      node.pause(1);
      assertFenced(connection, 0, Fence.newBuilder().setEpoch(1).setPaused(true).build());
      assertFenced(connection, 1, Fence.newBuilder().setEpoch(1).setPaused(true).build());
      PutResponse stock = connection.call(put("k", "v", 1), PutResponse.parser());
      assertThat(stock.getError().getErrorCode()).isEqualTo(7);
      assertThat(stock.hasPalinode()).isFalse();
      node.sequential(List.of(new SequentialKeys(77, List.of(ByteString.copyFromUtf8("k")))));
      node.resume(1, 55, 66);
      Pb0.SequentialKeys keys =
          Pb0.SequentialKeys.newBuilder()
              .setUntilMicros(77)
              .addKeys(ByteString.copyFromUtf8("k"))
              .build();
      Fence resumed =
          Fence.newBuilder()
              .setEpoch(1)
              .setPaused(false)
              .setTarget(55)
              .setSequentialUntilMicros(66)
              .addSequentialKeys(keys)
              .build();
      assertFenced(connection, 0, resumed);
      assertFenced(connection, 2, Fence.newBuilder().setEpoch(2).setPaused(true).build());
      ResponseContext toNewcomer =
          connection
              .call(with(context(), get(EVERYWHERE, "k")), GetResponse.parser())
              .getPalinode();
      assertThat(toNewcomer.getSequentialUntilMicros()).isEqualTo(66);
      assertThat(toNewcomer.getSequentialKeysList()).containsExactly(keys);
      // Its first answer may be a refusal.
      ResponseContext refused =
          connection
              .call(with(context(), get("elsewhere", "k")), GetResponse.parser())
              .getPalinode();
      assertThat(refused.getEpoch()).isEqualTo(1);
      assertThat(refused.getSequentialKeysList()).containsExactly(keys);
      ResponseContext toOthers =
          connection
              .call(with(context().setEpoch(1), get(EVERYWHERE, "k")), GetResponse.parser())
              .getPalinode();
      assertThat(toOthers.getSequentialKeysList()).isEmpty();
      assertThat(connection.call(put("k", "v", 1), PutResponse.parser()).hasError()).isFalse();
    }
  }

  private static void assertFenced(RawConnection connection, long epoch, Fence told)
      throws IOException {
    RequestContext.Builder at = context().setEpoch(epoch);
    GetResponse get = connection.call(with(at, get(EVERYWHERE, "k")), GetResponse.parser());
    PutResponse put = connection.call(with(at, put("k", "v", 1)), PutResponse.parser());
    DeleteResponse delete =
        connection.call(with(at, delete(EVERYWHERE, "k", vector(1))), DeleteResponse.parser());
    GetVersionResponse version =
        connection.call(with(at, getVersion(EVERYWHERE, "k")), GetVersionResponse.parser());
    GetAllResponse all =
        connection.call(with(at, getAll(EVERYWHERE, "k")), GetAllResponse.parser());
    assertThat(
            List.of(
                get.getError(),
                put.getError(),
                delete.getError(),
                version.getError(),
                all.getError()))
        .extracting(Pb0.Error::getErrorCode)
        .containsOnly(7);
    assertThat(
            List.of(
                get.getPalinode(),
                put.getPalinode(),
                delete.getPalinode(),
                version.getPalinode(),
                all.getPalinode()))
        .extracting(ResponseContext::getFence)
        .containsOnly(told);
  }

  @Test
  void clientsThatTellNoClockAreCountedWhileTheyAreConnected() throws IOException {
    try (RawConnection vp1 = new RawConnection(service.port());
        RawConnection stock = connect();
        RawConnection ours = connect()) {
      vp1.send(TestNodes.bytes("vp1"));
      assertThat(vp1.text(2)).isEqualTo("ok");
      stock.call(put("k", "v", 1), PutResponse.parser());
      stock.call(put("k", "w", 2), PutResponse.parser());
      Hvc known = Hvc.unknown(3);
      RequestContext.Builder told = context().setHvc(ByteString.copyFrom(HvcCodec.encode(known)));
      ours.call(with(told, put("k", "x", 3)), PutResponse.parser());
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(reach(ours).getStockConnections()).isEqualTo(2));
      assertThat(reach(ours).getStockWrites()).isEqualTo(2);
    }
    try (RawConnection ours = connect()) {
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(reach(ours).getStockConnections()).isZero());
      assertThat(reach(ours).getStockWrites()).isEqualTo(2);
    }
  }

  private static Pb0.ReachResponse reach(RawConnection connection) throws IOException {
    VoldemortRequest.Builder asked = with(context(), getAll(EVERYWHERE)).toBuilder();
    asked.getGetAllBuilder().setReach(true);
    return connection.call(asked.build(), GetAllResponse.parser()).getReach();
  }

  @Test
  void aListenerThatFailsFailsItsRequestOnly() throws IOException {
    node.listen(
        event -> {
          throw new IllegalStateException("a bug");
        });
    try (RawConnection connection = connect()) {
      PutResponse put = connection.call(put("k", "v", 1), PutResponse.parser());
      assertThat(put.getError().getErrorCode()).isEqualTo(6);
      assertThat(put.getError().getErrorMessage()).contains("a bug");
      assertThat(metadata(connection, "node.id")).isEqualTo("0");
    }
  }

  @Test
  void closingAnswersWhatIsInFlightAndAcceptsNothingMore() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    node.listen(
        event -> {
          arrived.countDown();
          awaitQuietly(goOn);
        });
    int port = service.port();
    try (RawConnection connection = connect();
        RawConnection idle = connect()) {
      connection.send(put("k", "v", 1));
      arrived.await();
      Thread closer = new Thread(service::close, "closer");
      closer.start();
      assertThat(idle.isAtEnd()).isTrue();
      assertThatThrownBy(() -> new RawConnection(port)).isInstanceOf(IOException.class);
      goOn.countDown();
      assertThat(connection.answer(PutResponse.parser()).hasError()).isFalse();
      assertThat(connection.isAtEnd()).isTrue();
      closer.join(20_000);
      assertThat(closer.isAlive()).isFalse();
    } finally {
      goOn.countDown();
    }
    try (StoreService again = open(data, 0)) {
      assertThat(again.node().siblings(TestNodes.key("k"))).hasSize(1);
      assertThat(again.node().incarnation()).isEqualTo(2);
    }
  }

  @Test
  void aPortThatIsTakenIsNamedAndTheFolderIsFreeAgain(@TempDir Path other) {
    StoreService second = open(other, service.port());
    assertThatThrownBy(second::start)
        .isInstanceOf(ListenException.class)
        .hasMessageContaining("port " + service.port() + " of 127.0.0.1")
        .hasMessageContaining("another socket-port");
    second.close();
    open(other, 0).close();
  }

  @Test
  void aFolderInUseIsRefusedAndStaysInUse() {
    assertThatThrownBy(() -> open(data, 0)).isInstanceOf(DataFolderException.class);
    assertThat(node.siblings(TestNodes.key("k"))).isEmpty();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static RequestContext.Builder context() {
    return RequestContext.newBuilder().setClient("alice");
  }

  private static String metadata(RawConnection connection, String key) throws IOException {
    GetResponse answer = connection.call(get(META, key), GetResponse.parser());
    return answer.getVersioned(0).getValue().toStringUtf8();
  }

  private static List<String> values(GetResponse answer) {
    return answer.getVersionedList().stream().map(v -> v.getValue().toStringUtf8()).toList();
  }
}
