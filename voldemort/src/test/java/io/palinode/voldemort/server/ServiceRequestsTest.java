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
import static io.palinode.voldemort.server.TestServices.META;
import static io.palinode.voldemort.server.TestServices.connect;
import static io.palinode.voldemort.server.TestServices.context;
import static io.palinode.voldemort.server.TestServices.metadata;
import static io.palinode.voldemort.server.TestServices.open;
import static io.palinode.voldemort.server.TestServices.values;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.cluster.Cluster;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.DeleteResponse;
import io.palinode.voldemort.protocol.Pb0.GetAllResponse;
import io.palinode.voldemort.protocol.Pb0.GetResponse;
import io.palinode.voldemort.protocol.Pb0.GetVersionResponse;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests to a node over real sockets, frame by frame. */
class ServiceRequestsTest {
  private static final int IGNORE_CHECKS = 2;

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
  void anAnswerAboveTheLimitIsRefusedAndTheConnectionContinues() throws Exception {
    StoreKey key = keyOn(0);
    byte[] half = new byte[Frames.MESSAGE_BYTES_MAX / 2];
    byte[] both =
        Siblings.encode(List.of(new Versioned(half, vector(1)), new Versioned(half, vector(0, 1))));
    // No put may be so long, but a merge of replicas may be.
    node.pause(1);
    var unused = node.merge(List.of(new KeyRecord(key, both, new byte[0])));
    node.resume(1, 0, 0);
    String name = new String(key.key(), StandardCharsets.UTF_8);
    try (RawConnection connection = connect(service)) {
      GetResponse refused = connection.call(get(ONCE, name), GetResponse.parser());
      assertThat(refused.getError().getErrorCode()).isEqualTo(ErrorCode.VOLDEMORT.code());
      assertThat(refused.getError().getErrorMessage()).contains("at most 67108864 bytes");
      assertThat(connection.call(get(META, "node.id"), GetResponse.parser()).hasError()).isFalse();
    }
  }

  /** The bytes of a stock client: put k = v with clock {0:1} at time 5, get k, put it again. */
  @Test
  void aStockPutAndGetHaveTheBytesOfTheProtocol() throws IOException {
    try (RawConnection connection = connect(service)) {
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
    try (RawConnection connection = connect(service)) {
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
    String elsewhere = new String(keyOn(1).key(), StandardCharsets.UTF_8);
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
        // No node listens at the addresses of this test's cluster.
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
  void aRefusedRequestGetsItsErrorAndTheConnectionContinues(
      VoldemortRequest request,
      com.google.protobuf.Parser<? extends MessageLite> parser,
      int code,
      String text)
      throws Exception {
    try (RawConnection connection = connect(service)) {
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
  void aKeyOfAnotherNodeIsServedIfTheClientAsksForNoCheck() throws IOException {
    String elsewhere = new String(keyOn(1).key(), StandardCharsets.UTF_8);
    try (RawConnection connection = connect(service)) {
      VoldemortRequest put = put(ONCE, elsewhere, version("v", 1));
      assertThat(connection.call(routedAs(IGNORE_CHECKS, put), PutResponse.parser()).hasError())
          .isFalse();
      VoldemortRequest get = routedAs(IGNORE_CHECKS, get(ONCE, elsewhere));
      assertThat(values(connection.call(get, GetResponse.parser()))).containsExactly("v");
    }
  }

  @Test
  void aClientCanBootstrapWhileTheNodeIsPaused() throws IOException {
    node.pause(1);
    try (RawConnection connection = connect(service)) {
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
      assertThat(context.hasEpoch()).as("the epoch has not begun").isFalse();
    }
  }
}
