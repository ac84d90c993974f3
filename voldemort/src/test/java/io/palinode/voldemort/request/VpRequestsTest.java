package io.palinode.voldemort.request;

import static io.palinode.voldemort.TestNodes.EVERYWHERE;
import static io.palinode.voldemort.TestNodes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.Hlc;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import io.palinode.voldemort.vp.VpAnswer;
import io.palinode.voldemort.vp.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VpRequestsTest {
  private static final VpRequests VP1 = VpRequests.of(VpVersion.VP1);
  private static final byte[] CLOCK = TestNodes.vector(1).encode();

  private final AtomicLong micros = TestNodes.clock();
  private final StoreNode node = TestNodes.inMemory(micros);
  private final io.palinode.voldemort.request.VpRequests requests =
      new io.palinode.voldemort.request.VpRequests(node, new StoreRequests(node));

  @AfterEach
  void close() {
    node.close();
  }

  private byte[] answer(byte[] request) {
    return requests.work(VpVersion.VP1, ByteBuffer.wrap(request), StoreUser.ANY).answer().get();
  }

  private int code(byte[] request) {
    return ByteBuffer.wrap(answer(request)).getShort();
  }

  private static byte[] put(String key) {
    return VP1.put(EVERYWHERE, bytes(key), CLOCK, bytes("v"));
  }

  @Test
  void aPausedNodeRefusesItsStoresAndServesMetadata() {
    byte[] get = VP1.get(EVERYWHERE, bytes("k"));
    node.pause(1);
    assertThat(code(put("k"))).isEqualTo(ErrorCode.UNREACHABLE_STORE.code());
    assertThat(code(get)).isEqualTo(ErrorCode.UNREACHABLE_STORE.code());
    assertThat(code(VP1.delete(EVERYWHERE, bytes("k"), CLOCK)))
        .isEqualTo(ErrorCode.UNREACHABLE_STORE.code());
    assertThat(code(VP1.get("metadata", bytes("node.id")))).isZero();
    assertThat(code(VP1.put("voldsys$_client_registry", bytes("me"), CLOCK, bytes("v")))).isZero();
    node.resume(1, 5, 0);
    // In the new epoch it is served without a word: it knows of none.
    assertThat(code(get)).isZero();
    assertThat(code(put("k"))).isZero();
  }

  @Test
  void anAnswerThatIsTooLongIsRefused() {
    byte[] half = new byte[VpAnswer.ANSWER_BYTES_MAX / 2];
    byte[] record =
        Siblings.encode(
            Stream.of(TestNodes.vector(1), TestNodes.vector(0, 1))
                .map(clock -> new Versioned(half, clock))
                .toList());
    // No put may make a key that long; of an earlier release there may be one.
    node.pause(1);
    assertThat(node.merge(List.of(new KeyRecord(TestNodes.key("k"), record, new byte[0]))))
        .isEqualTo(1);
    node.resume(1, 5, 0);
    assertThat(code(VP1.get(EVERYWHERE, bytes("k")))).isEqualTo(ErrorCode.VOLDEMORT.code());
  }

  @Test
  void aWriteIsStampedByTheNodeAloneAndIsNobodys() {
    List<WriteEvent> events = new ArrayList<>();
    node.listen(events::add);
    assertThat(code(put("k"))).isZero();
    assertThat(events).hasSize(1);
    assertThat(Hlc.micros(events.get(0).after().own())).isEqualTo(micros.get());
    assertThat(events.get(0).writer()).isEmpty();
    assertThat(events.get(0).origin()).isNull();
    assertThat(node.counters().get(NodeCounter.STOCK_WRITES)).isEqualTo(1);
  }

  @Test
  void moreThanAnAnswerHoldsIsRefusedAndNotCollected() {
    byte[] large = new byte[6 << 20];
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 11; i++) {
      keys.add(bytes("large" + i));
      assertThat(code(VP1.put(EVERYWHERE, keys.get(i), CLOCK, large))).isZero();
    }
    assertThat(code(VP1.getAll(EVERYWHERE, keys.subList(0, 10)))).isZero();
    assertThat(code(VP1.getAll(EVERYWHERE, keys))).isEqualTo(ErrorCode.VOLDEMORT.code());
  }

  @Test
  void theRegistryOfClientsIsBounded() {
    String registry = "voldsys$_client_registry";
    for (int i = 0; i <= ClientRegistry.CLIENTS_MAX; i++) {
      assertThat(code(VP1.put(registry, bytes("client" + i), CLOCK, bytes("v")))).isZero();
    }
    byte[] gone = answer(VP1.getVersion(registry, bytes("client0")));
    assertThat(ByteBuffer.wrap(gone).getInt(2)).isZero();
    byte[] large = new byte[ClientRegistry.BYTES_MAX];
    assertThat(code(VP1.put(registry, bytes("large"), CLOCK, large)))
        .isEqualTo(ErrorCode.VOLDEMORT.code());
  }
}
