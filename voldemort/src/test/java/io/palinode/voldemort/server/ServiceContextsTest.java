package io.palinode.voldemort.server;

import static io.palinode.voldemort.TestNodes.EVERYWHERE;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static io.palinode.voldemort.server.Requests.delete;
import static io.palinode.voldemort.server.Requests.get;
import static io.palinode.voldemort.server.Requests.getAll;
import static io.palinode.voldemort.server.Requests.getVersion;
import static io.palinode.voldemort.server.Requests.put;
import static io.palinode.voldemort.server.Requests.with;
import static io.palinode.voldemort.server.TestServices.connect;
import static io.palinode.voldemort.server.TestServices.context;
import static io.palinode.voldemort.server.TestServices.open;
import static io.palinode.voldemort.server.TestServices.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.hvc.PointInTime;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
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
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contexts of requests and responses over real sockets. */
class ServiceContextsTest {
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
  void aRequestWithAContextGetsAResponseWithAContext() throws IOException {
    Hvc known = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 9), 0);
    RequestContext.Builder knows =
        context().setHvc(ByteString.copyFrom(HvcCodec.encode(known))).setEpoch(0).setOrigin(1);
    node.safePoint(77);
    try (RawConnection connection = connect(service)) {
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
  void aClockTooFarAheadIsRefusedWithBothClocksNamed() throws IOException {
    Hvc broken = Hvc.of(Hvc.NO_OWNER, 0, Hlc.ofMicros(micros.get() + 600_000), 0);
    RequestContext.Builder knows = context().setHvc(ByteString.copyFrom(HvcCodec.encode(broken)));
    try (RawConnection connection = connect(service)) {
      PutResponse put = connection.call(with(knows, put("k", "v", 1)), PutResponse.parser());
      assertThat(put.getError().getErrorMessage())
          .contains(
              "node 0 at " + PointInTime.format(Hlc.ofMicros(micros.get())),
              "of node 1",
              "600000 µs ahead");
      assertThat(values(connection.call(get(EVERYWHERE, "k"), GetResponse.parser()))).isEmpty();
    }
  }

  @Test
  void everyTypeOfResponseCanCarryAFence() throws IOException {
    try (RawConnection connection = connect(service)) {
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
      // The first response to a new client may be a refusal.
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

  private static void assertFenced(RawConnection connection, long epoch, Fence expected)
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
        .containsOnly(expected);
  }

  @Test
  void clientsWithoutAClockAreCountedWhileTheyAreConnected() throws IOException {
    try (RawConnection vp1 = new RawConnection(service.port());
        RawConnection stock = connect(service);
        RawConnection ours = connect(service)) {
      vp1.send(TestNodes.bytes("vp1"));
      assertThat(vp1.text(2)).isEqualTo("ok");
      stock.call(put("k", "v", 1), PutResponse.parser());
      stock.call(put("k", "w", 2), PutResponse.parser());
      Hvc known = Hvc.unknown(3);
      RequestContext.Builder withClock =
          context().setHvc(ByteString.copyFrom(HvcCodec.encode(known)));
      ours.call(with(withClock, put("k", "x", 3)), PutResponse.parser());
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(reach(ours).getStockConnections()).isEqualTo(2));
      assertThat(reach(ours).getStockWrites()).isEqualTo(2);
    }
    try (RawConnection ours = connect(service)) {
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(reach(ours).getStockConnections()).isZero());
      assertThat(reach(ours).getStockWrites()).isEqualTo(2);
    }
  }

  private static Pb0.ReachResponse reach(RawConnection connection) throws IOException {
    VoldemortRequest asked =
        VoldemortRequest.newBuilder()
            .setType(Pb0.RequestType.PAST)
            .setShouldRoute(false)
            .setStore("")
            .setPast(Pb0.PastRequest.newBuilder().setReach(true))
            .build();
    return connection.call(with(context(), asked), Pb0.PastResponse.parser()).getReach();
  }
}
