package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.request.Pb0Requests;
import io.palinode.voldemort.request.Routing;
import io.palinode.voldemort.request.StoreRequests;
import io.palinode.voldemort.request.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import io.palinode.voldemort.vp.WireBytes;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever bytes come in are answered, waited on, or end their connection; none takes memory that
 * its length does not account for, or meets a bug. {@code -Dpalinode.fuzz.inputs=10000000} tries
 * more than the usual.
 */
class DecoderFuzzTest {
  private static final int INPUTS = Integer.getInteger("palinode.fuzz.inputs", 100_000);
  private static final int PROTOCOLS = 5;

  /** Inputs of one node, so that what they write stays little. */
  private static final int INPUTS_PER_NODE = 5_000;

  /** What a connection and the largest answer to so few keys take, and some for each byte. */
  private static final long BYTES_MAX = 512 << 10;

  /** The first ones load classes. */
  private static final int WARM_UP = 500;

  private static final int IN_FLIGHT_MAX = 16;

  private static final long BYTES_PER_BYTE_MAX = 256;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"vp0", "vp1", "vp2", "vp3", "pb0"})
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void noBytesMeetABugOrTakeMemoryBeyondTheirLength(String protocol) {
    int inputs = INPUTS / PROTOCOLS;
    for (int first = 0; first < inputs; first += INPUTS_PER_NODE) {
      try (StoreNode node = TestNodes.inMemory(TestNodes.clock());
          BulkRequests bulk = new BulkRequests("fuzz-bulk", Duration.ofSeconds(10));
          Routing routing = new Routing(node, null)) {
        Handlers handlers = new Handlers(node, bulk, routing, protocol, folder);
        for (int i = first; i < Math.min(inputs, first + INPUTS_PER_NODE); i++) {
          run(handlers, i);
        }
        assertServes(handlers);
      }
    }
  }

  /** What stands behind the handshake in a server. */
  private record Handlers(
      StoreNode node, BulkRequests bulk, Routing routing, String protocol, Path folder) {
    EmbeddedChannel connection() {
      VpVersion version = VpVersion.named(protocol);
      FrameBudget.Share share = TestServices.share();
      InFlightLimit limit = new InFlightLimit(IN_FLIGHT_MAX, share, node.counters());
      ChannelHandler[] handlers =
          version == null
              ? new ChannelHandler[] {
                frames(new RequestEnd.OfPb0(), share),
                limit,
                new RequestHandler(
                    pb0(), bulk, routing, share, node.counters(), () -> StoreUser.ANY)
              }
              : new ChannelHandler[] {
                frames(new RequestEnd.OfVp(version), share),
                limit,
                new VpRequestHandler(
                    new VpRequests(node, new StoreRequests(node)),
                    routing,
                    share,
                    version,
                    node.counters(),
                    () -> StoreUser.ANY)
              };
      return new EmbeddedChannel(handlers);
    }

    private RequestFrames frames(RequestEnd end, FrameBudget.Share share) {
      return new RequestFrames(end, share, Duration.ofSeconds(10), node.counters());
    }

    private Pb0Requests pb0() {
      return new Pb0Requests(node, new LocalSnapshots(0, node.history(), folder));
    }
  }

  private void run(Handlers handlers, long seed) {
    List<byte[]> pieces = new FuzzInputs(seed).next(handlers.protocol());
    EmbeddedChannel connection = handlers.connection();
    try {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (byte[] piece : pieces) {
        if (connection.isOpen()) {
          connection.writeInbound(Unpooled.wrappedBuffer(piece));
        }
      }
      long taken = threads.getCurrentThreadAllocatedBytes() - before;
      long length = pieces.stream().mapToLong(piece -> piece.length).sum();
      if (seed >= WARM_UP) {
        assertThat(taken).isLessThan(BYTES_MAX + BYTES_PER_BYTE_MAX * length);
      }
      for (Object answer = connection.readOutbound();
          answer != null;
          answer = connection.readOutbound()) {
        assertNoBug(answer);
        ReferenceCountUtil.release(answer);
      }
      connection.checkException();
    } catch (Throwable failed) {
      fail("protocol=%s seed=%d %s".formatted(handlers.protocol(), seed, hex(pieces)), failed);
    } finally {
      connection.finishAndReleaseAll();
    }
  }

  private static void assertNoBug(Object answer) {
    if (answer instanceof ByteBuf bytes) {
      assertThat((int) bytes.getShort(bytes.readerIndex()))
          .isNotEqualTo(ErrorCode.UNKNOWN_FAILURE.code());
    } else {
      String text = String.valueOf(answer);
      assertThat(text).doesNotContain("error_code: " + ErrorCode.UNKNOWN_FAILURE.code() + "\n");
    }
  }

  private static void assertServes(Handlers handlers) {
    EmbeddedChannel connection = handlers.connection();
    VpVersion version = VpVersion.named(handlers.protocol());
    byte[] get =
        version == null
            ? new WireBytes().array(Requests.get("metadata", "node.id").toByteArray()).toBytes()
            : io.palinode.voldemort.vp.VpRequests.of(version)
                .get("metadata", TestNodes.bytes("node.id"));
    connection.writeInbound(Unpooled.wrappedBuffer(get));
    assertThat(connection.outboundMessages()).hasSize(1);
    connection.finishAndReleaseAll();
  }

  private static List<String> hex(List<byte[]> pieces) {
    return pieces.stream().map(HexFormat.of()::formatHex).toList();
  }
}
