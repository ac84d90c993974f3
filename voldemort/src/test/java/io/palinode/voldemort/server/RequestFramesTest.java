package io.palinode.voldemort.server;

import static io.palinode.voldemort.server.Requests.put;
import static io.palinode.voldemort.server.TestServices.NEVER;
import static io.palinode.voldemort.server.TestServices.REQUEST_BYTES_MAX;
import static io.palinode.voldemort.server.TestServices.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0.PutResponse;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.server.ServerConfig.Connections;
import io.palinode.voldemort.vp.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import io.palinode.voldemort.vp.WireBytes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that arrive in pieces, slowly, or not at all. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RequestFramesTest {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final Connections CONNECTIONS = new Connections(100, 100, NEVER);
  private static final int UNFINISHED = 20;

  /** What sockets and small requests take beside the budget. */
  private static final long OTHER_BYTES = 64 << 20;

  @TempDir Path data;

  private StoreService start(Duration requestTimeout) {
    StoreService service =
        TestServices.open(data, server(0, CONNECTIONS, requestTimeout), TestNodes.clock()::get);
    service.start();
    return service;
  }

  @Test
  void aClientThatReadsNoAnswerKeepsNoMemoryFromOthers() throws Exception {
    VoldemortRequest large = put("large", "l".repeat(1 << 20), 1);
    try (StoreService service = start(Duration.ofSeconds(2));
        RawConnection working = RawConnection.pb0(service.port());
        RawConnection silent = RawConnection.pb0(service.port())) {
      VoldemortRequest big = put("big", "b".repeat(6 << 20), 1);
      assertThat(working.call(big, PutResponse.parser()).hasError()).isFalse();
      Thread sender =
          new Thread(
              () -> sendUnread(silent, put("huge", "h".repeat(63 << 20), 1)), "silent-sender");
      sender.setDaemon(true);
      sender.start();
      StoreNode node = service.node();
      for (long i = 1; node.counters().get(NodeCounter.ANSWERS_UNREAD) == 0; i++) {
        assertThat(working.call(put("k", "v", i), PutResponse.parser()).hasError()).isFalse();
      }
      assertThat(working.call(large, PutResponse.parser()).hasError()).isFalse();
    }
  }

  /** Asks for 6 MiB ten times, which no socket holds, then sends. */
  private static void sendUnread(RawConnection connection, VoldemortRequest next) {
    try {
      for (int i = 0; i < 10; i++) {
        connection.send(Requests.get(TestNodes.EVERYWHERE, "big"));
      }
      connection.send(next);
    } catch (IOException ended) {
      // As it must.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pb0", "vp1", "vp3"})
  void unfinishedRequestsTakeTheMemoryOfOne(String protocol) throws Exception {
    long before = directBytes();
    long most = 0;
    List<RawConnection> connections = new ArrayList<>();
    try (StoreService service = start(NEVER);
        RawConnection working = RawConnection.pb0(service.port())) {
      for (int i = 0; i < UNFINISHED; i++) {
        RawConnection connection = new RawConnection(service.port());
        connections.add(connection);
        Thread sender = new Thread(() -> sendUnfinished(connection, protocol), "sender-" + i);
        sender.setDaemon(true);
        sender.start();
      }
      StoreNode node = service.node();
      for (long i = 1; node.counters().get(NodeCounter.REQUESTS_DELAYED) < UNFINISHED - 1; i++) {
        assertThat(working.call(put("k", "v", i), PutResponse.parser()).hasError()).isFalse();
        most = Math.max(most, directBytes() - before);
      }
      for (RawConnection connection : connections) {
        connection.close();
      }
      PutResponse large = working.call(put("big", "x".repeat(1 << 20), 1), PutResponse.parser());
      assertThat(large.hasError()).isFalse();
    }
    assertThat(most).isLessThan(2 * REQUEST_BYTES_MAX + OTHER_BYTES);
  }

  private static long directBytes() {
    return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
  }

  /** All of a request of 64 MiB but its last byte; ends with its connection. */
  private static void sendUnfinished(RawConnection connection, String protocol) {
    try {
      connection.send(TestNodes.bytes(protocol));
      VpVersion version = VpVersion.named(protocol);
      byte[] head =
          version == null
              ? new WireBytes().i32(Frames.MESSAGE_BYTES_MAX).toBytes()
              : VpRequests.of(version)
                  .head(2, TestNodes.EVERYWHERE)
                  .array(TestNodes.bytes("k"))
                  .i32(Frames.MESSAGE_BYTES_MAX - 100)
                  .toBytes();
      connection.send(head);
      byte[] zeros = new byte[1 << 20];
      for (int left = Frames.MESSAGE_BYTES_MAX - 101; left > 0; left -= zeros.length) {
        connection.send(left < zeros.length ? new byte[left] : zeros);
      }
    } catch (IOException closed) {
      return;
    }
  }

  @Test
  void aRequestThatStallsEndsAndTheNextOneIsServed() throws IOException {
    try (StoreService service = start(Duration.ofSeconds(2));
        RawConnection stalled = RawConnection.pb0(service.port());
        RawConnection other = RawConnection.pb0(service.port())) {
      stalled.send(new WireBytes().i32(Frames.MESSAGE_BYTES_MAX).toBytes());
      stalled.send(new byte[1 << 20]);
      PutResponse answer = other.call(put("big", "x".repeat(1 << 20), 1), PutResponse.parser());
      assertThat(answer.hasError()).isFalse();
      assertThat(stalled.isAtEnd()).isTrue();
      assertThat(service.node().counters().get(NodeCounter.REQUESTS_LATE)).isEqualTo(1);
    }
  }

  @Test
  void aSlowSenderIsClosed() throws Exception {
    try (StoreService service = start(Duration.ofMillis(300));
        RawConnection slow = RawConnection.pb0(service.port())) {
      slow.send(new WireBytes().i32(1_000_000).toBytes());
      await("the end")
          .atMost(BOUND)
          .until(
              () -> {
                sendOne(slow);
                return service.node().counters().get(NodeCounter.REQUESTS_LATE) == 1;
              });
      assertThat(slow.isAtEnd()).isTrue();
    }
  }

  private static void sendOne(RawConnection connection) {
    try {
      connection.send(new byte[1]);
    } catch (IOException closed) {
      return;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pb0", "vp0", "vp1", "vp2", "vp3"})
  void requestsComeWholeHoweverTheirBytesAreSplit(String protocol) {
    try (StoreNode node = TestNodes.inMemory(TestNodes.clock())) {
      for (long seed = 0; seed < 100; seed++) {
        Random random = new Random(seed);
        FrameBudget.Share share = TestServices.share();
        EmbeddedChannel channel =
            new EmbeddedChannel(new RequestFrames(end(protocol), share, BOUND, node.counters()));
        List<ByteBuf> sent = new ArrayList<>();
        ByteBuf all = Unpooled.buffer();
        for (int i = 0; i < 4; i++) {
          byte[] request = request(protocol, random.nextInt(random.nextBoolean() ? 50 : 300_000));
          sent.add(Unpooled.wrappedBuffer(request));
          all.writeBytes(
              protocol.equals("pb0") ? new WireBytes().array(request).toBytes() : request);
        }
        List<ByteBuf> received = new ArrayList<>();
        int mostAtOnce = 1 + random.nextInt(100_000);
        while (all.isReadable()) {
          int bytes = Math.min(all.readableBytes(), 1 + random.nextInt(mostAtOnce));
          channel.writeInbound(Unpooled.copiedBuffer(all.readSlice(bytes)));
          // A waiting request arrives once the one before it is answered.
          do {
            for (ByteBuf next = channel.readInbound(); next != null; next = channel.readInbound()) {
              received.add(Unpooled.copiedBuffer(next));
              next.release();
            }
            share.answered();
            channel.runPendingTasks();
          } while (!channel.inboundMessages().isEmpty());
        }
        assertThat(received).as("seed %d", seed).isEqualTo(sent);
        assertThat(channel.finishAndReleaseAll()).as("seed %d: left over", seed).isFalse();
        all.release();
      }
    }
  }

  private static RequestEnd end(String protocol) {
    VpVersion version = VpVersion.named(protocol);
    return version == null ? new RequestEnd.OfPb0() : new RequestEnd.OfVp(version);
  }

  private static byte[] request(String protocol, int bytes) {
    VpVersion version = VpVersion.named(protocol);
    if (version == null) {
      VoldemortRequest request = put("k", "x".repeat(bytes), 1);
      return request.toByteArray();
    }
    VpRequests requests = VpRequests.of(version);
    byte[] clock = TestNodes.vector(1).encode();
    return bytes % 3 == 0
        ? requests.getAll(TestNodes.EVERYWHERE, List.of(new byte[bytes / 2], new byte[bytes / 2]))
        : requests.put(TestNodes.EVERYWHERE, TestNodes.bytes("k"), clock, new byte[bytes]);
  }
}
