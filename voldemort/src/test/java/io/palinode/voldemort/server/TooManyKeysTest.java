package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.WireFormat;
import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestType;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.request.Pb0Requests;
import io.palinode.voldemort.request.Routing;
import io.palinode.voldemort.vp.RequestScan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of any type that name too many keys, at a connection. */
class TooManyKeysTest {
  private static final int GET_ALL_KEYS = 0x0A;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(RequestType.class)
  void anyRequestThatNamesTooMuchIsRefusedInItsPlaceAtNoCost(RequestType type) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (StoreNode node = TestNodes.inMemory(TestNodes.clock());
        BulkRequests bulk = new BulkRequests("scan-bulk", Duration.ofSeconds(10));
        Routing routing = new Routing(node, null)) {
      Pb0Requests requests = new Pb0Requests(node, new LocalSnapshots(0, node.history(), folder));
      EmbeddedChannel channel =
          new EmbeddedChannel(
              new RequestHandler(
                  requests,
                  bulk,
                  routing,
                  TestServices.share(),
                  node.counters(),
                  () -> StoreUser.ANY));
      ByteBuf fine = Unpooled.wrappedBuffer(Requests.get(TestNodes.EVERYWHERE, "k").toByteArray());
      byte[] tooMany = tooManyKeys(type);
      ByteBuf frame = Unpooled.wrappedBuffer(tooMany);
      channel.writeInbound(fine.retainedDuplicate(), frame.retainedDuplicate());
      long before = threads.getCurrentThreadAllocatedBytes();
      channel.writeInbound(frame);
      long taken = threads.getCurrentThreadAllocatedBytes() - before;
      channel.writeInbound(fine);

      assertThat(taken).isLessThan(tooMany.length / 8);
      assertThat(channel.<MessageLite>readOutbound()).isInstanceOf(Pb0.GetResponse.class);
      for (int i = 0; i < 2; i++) {
        MessageLite answer = channel.readOutbound();
        assertThat(error(type, answer))
            .isEqualTo(ErrorCode.VOLDEMORT.toProto("a request must name at most 262144 keys"));
      }
      assertThat(channel.<Pb0.GetResponse>readOutbound().hasError()).isFalse();
      assertThat(channel.isOpen()).isTrue();
      channel.finishAndReleaseAll();
    }
  }

  /** In a request of any type: a parser takes them all. */
  private static byte[] tooManyKeys(RequestType type) throws IOException {
    int getAll = VoldemortRequest.GETALL_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(
        VoldemortRequest.newBuilder()
            .setType(type)
            .setShouldRoute(false)
            .setStore(TestNodes.EVERYWHERE)
            .build()
            .toByteArray());
    out.write(many(getAll, GET_ALL_KEYS, RequestScan.KEYS_MAX + 1));
    return out.toByteArray();
  }

  private static Pb0.Error error(RequestType type, MessageLite answer) {
    return switch (type) {
      case GET -> ((Pb0.GetResponse) answer).getError();
      case GET_ALL -> ((Pb0.GetAllResponse) answer).getError();
      case GET_VERSION -> ((Pb0.GetVersionResponse) answer).getError();
      case PUT -> ((Pb0.PutResponse) answer).getError();
      case DELETE -> ((Pb0.DeleteResponse) answer).getError();
      case PAST -> ((Pb0.PastResponse) answer).getError();
    };
  }

  /** {@code count} empty fields in a message of a field. */
  private static byte[] many(int outerTag, int tag, int count) throws IOException {
    byte[] inner = new byte[2 * count];
    for (int i = 0; i < inner.length; i += 2) {
      inner[i] = (byte) tag;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CodedOutputStream coded = CodedOutputStream.newInstance(out);
    coded.writeUInt32NoTag(outerTag);
    coded.writeByteArrayNoTag(inner);
    coded.flush();
    return out.toByteArray();
  }
}
