package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.palinode.retroscope.WindowLog;
import io.palinode.retroscope.snapshot.History;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.file.Entry;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.request.Pb0Requests;
import io.palinode.voldemort.request.Routing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestHandlerTest {
  private static final Duration BOUND = Duration.ofSeconds(10);

  @TempDir Path folder;
  private final CountDownLatch release = new CountDownLatch(1);
  private final StoreNode node = TestNodes.inMemory(TestNodes.clock());
  private final BulkRequests bulk = new BulkRequests("test-bulk", BOUND);
  private final FrameBudget.Share share = TestServices.share();

  @AfterEach
  void close() {
    release.countDown();
    bulk.close();
    node.close();
  }

  @Test
  void onlyLaterRequestsOfItsConnectionWaitForABulkRequest() {
    EmbeddedChannel bulky = connection();
    EmbeddedChannel other = connection();
    bulky.writeInbound(frame(difference()), frame(get()));
    other.writeInbound(frame(get()));
    assertThat(other.<Object>readOutbound()).isInstanceOf(Pb0.GetResponse.class);
    assertThat(bulky.<Object>readOutbound()).isNull();
    release.countDown();
    assertThat(next(bulky)).isInstanceOf(Pb0.PastResponse.class);
    assertThat(next(bulky)).isInstanceOf(Pb0.GetResponse.class);
    other.writeInbound(frame(difference()));
    assertThat(next(other)).isInstanceOf(Pb0.PastResponse.class);
  }

  @Test
  void moreBulkRequestsThanThereIsRoomForAreRefusedByName() {
    List<EmbeddedChannel> busy = new ArrayList<>();
    for (int i = 0; i < BulkRequests.MAX; i++) {
      EmbeddedChannel channel = connection();
      channel.writeInbound(frame(difference()));
      busy.add(channel);
    }
    EmbeddedChannel refused = connection();
    refused.writeInbound(frame(difference()), frame(get()));
    Pb0.PastResponse answer = refused.readOutbound();
    assertThat(answer.getError().getErrorMessage())
        .isEqualTo("node 0 is busy with 8 other requests of this kind: try again later");
    assertThat(refused.<Object>readOutbound()).isInstanceOf(Pb0.GetResponse.class);
    release.countDown();
    busy.forEach(channel -> assertThat(((Pb0.PastResponse) next(channel)).hasError()).isFalse());
  }

  @Test
  void whatAnAnswerMakesRoomForDoesNotOvertakeWhatWaits() {
    EmbeddedChannel channel = connection(new InFlightLimit(2, share, node.counters()));
    channel.writeInbound(frame(difference()), frame(get()), frame(getVersion()));
    release.countDown();
    assertThat(next(channel)).isInstanceOf(Pb0.PastResponse.class);
    assertThat(next(channel)).isInstanceOf(Pb0.GetResponse.class);
    assertThat(next(channel)).isInstanceOf(Pb0.GetVersionResponse.class);
  }

  @Test
  void noConnectionHoldsTheLoopForMoreThanTheLimit() {
    List<Integer> turns = new ArrayList<>(List.of(0));
    ChannelInboundHandlerAdapter answering =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object request) {
            turns.set(turns.size() - 1, turns.get(turns.size() - 1) + 1);
            var unused = ctx.write(request);
          }

          @Override
          public void channelReadComplete(ChannelHandlerContext ctx) {
            turns.add(0);
            ctx.flush();
          }
        };
    EmbeddedChannel channel =
        new EmbeddedChannel(new InFlightLimit(2, share, node.counters()), answering);
    channel.writeInbound(1, 2, 3, 4, 5);
    assertThat(channel.outboundMessages()).containsExactly(1, 2, 3, 4, 5);
    assertThat(turns).startsWith(2, 2, 1).allMatch(started -> started <= 2);
    assertThat(channel.config().isAutoRead()).as("it reads on").isTrue();
  }

  @Test
  void aLargeRequestRunsAloneAndReadingWaitsForItsAnswer() {
    List<Object> started = new ArrayList<>();
    List<ChannelHandlerContext> contexts = new ArrayList<>();
    ChannelInboundHandlerAdapter unanswered =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object request) {
            contexts.add(ctx);
            started.add(request);
          }
        };
    EmbeddedChannel channel =
        new EmbeddedChannel(new InFlightLimit(8, share, node.counters()), unanswered);
    Object small = Unpooled.wrappedBuffer(new byte[10]);
    Object large = Unpooled.wrappedBuffer(new byte[FrameBudget.SMALL_BYTES + 1]);
    Object last = Unpooled.wrappedBuffer(new byte[10]);
    channel.writeInbound(small, large, last);
    assertThat(started).containsExactly(small);
    assertThat(channel.config().isAutoRead()).isFalse();
    for (List<Object> next : List.of(List.of(small, large), List.of(small, large, last))) {
      var unused = contexts.get(0).writeAndFlush("answer");
      assertThat(started).isEqualTo(next);
    }
    assertThat(channel.config().isAutoRead()).as("it reads on").isTrue();
  }

  @Test
  void whatGoesThroughAWindowLogOrAStoreIsBulk() {
    Pb0Requests requests = new Pb0Requests(node, snapshots());
    assertThat(
            requests.isBulk(
                past(
                    Pb0.PastRequest.newBuilder()
                        .setDiscarded(
                            Pb0.DiscardedRequest.newBuilder()
                                .setFromHlc(1)
                                .setToHlc(2)
                                .setSettledHlc(3)))))
        .isTrue();
    assertThat(requests.isBulk(difference())).isTrue();
    assertThat(requests.isBulk(past(Pb0.PastRequest.newBuilder().setVerify("s")))).isTrue();
    assertThat(requests.isBulk(past(Pb0.PastRequest.newBuilder().setReach(true)))).isFalse();
  }

  @Test
  void aQuestionNeedsNoStoreAndIsRefusedWithoutItsPart() {
    Pb0Requests requests = new Pb0Requests(node, snapshots());
    VoldemortRequest reach =
        past(Pb0.PastRequest.newBuilder().setReach(true)).toBuilder().setStore("").build();
    Pb0.PastResponse answer = (Pb0.PastResponse) requests.answer(reach);
    assertThat(answer.hasError()).isFalse();
    assertThat(answer.getReach().getToHlc()).isEqualTo(node.clock().last().own());
    Pb0.PastResponse refused =
        (Pb0.PastResponse) requests.answer(reach.toBuilder().clearPast().build());
    assertThat(refused.getError().getErrorMessage())
        .isEqualTo("a request of this type needs its part 'past'");
  }

  @Test
  void anAnswerThatASlowReaderHasNotTakenIsSentBeforeAnOrderlyEnd() {
    ChannelInboundHandlerAdapter answering =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object request) {
            var unused = ctx.write(request);
          }
        };
    EmbeddedChannel channel =
        new EmbeddedChannel(new InFlightLimit(2, share, node.counters()), answering);
    channel.writeInbound(1);
    assertThat(channel.outboundMessages()).isEmpty();
    channel.pipeline().fireUserEventTriggered(InFlightLimit.DRAIN);
    assertThat(channel.outboundMessages()).contains(1);
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aRefusalIsAnErrorInTheResponseOfItsOwnRequest() throws Exception {
    Pb0Requests requests = new Pb0Requests(node, snapshots());
    assertThat(Pb0.GetResponse.parseFrom(refusal(requests, Pb0.RequestType.GET)).hasError())
        .isTrue();
    assertThat(Pb0.GetAllResponse.parseFrom(refusal(requests, Pb0.RequestType.GET_ALL)).hasError())
        .isTrue();
    assertThat(
            Pb0.GetVersionResponse.parseFrom(refusal(requests, Pb0.RequestType.GET_VERSION))
                .hasError())
        .isTrue();
    assertThat(Pb0.PastResponse.parseFrom(refusal(requests, Pb0.RequestType.PAST)).hasError())
        .isTrue();
    assertThat(Pb0.PutResponse.parseFrom(refusal(requests, Pb0.RequestType.PUT)).hasError())
        .isTrue();
    Pb0.DeleteResponse deleted =
        Pb0.DeleteResponse.parseFrom(refusal(requests, Pb0.RequestType.DELETE));
    assertThat(deleted.hasError()).isTrue();
    assertThat(deleted.getSuccess()).isFalse();
  }

  private static byte[] refusal(Pb0Requests requests, Pb0.RequestType type) {
    return requests
        .refuseRouted(
            Pb0.VoldemortRequest.newBuilder()
                .setType(type)
                .setStore(TestNodes.EVERYWHERE)
                .setShouldRoute(true)
                .buildPartial())
        .toByteArray();
  }

  /** They are answered in a row, not each within the answer to the one before. */
  @Test
  void anyNumberOfRequestsMayBeHeldBack() {
    int held = 20_000;
    EmbeddedChannel channel = connection(new InFlightLimit(2, share, node.counters()));
    Object[] requests = new Object[held];
    Arrays.setAll(requests, i -> frame(get()));
    channel.writeInbound(frame(difference()));
    channel.writeInbound(requests);
    release.countDown();
    assertThat(next(channel)).isInstanceOf(Pb0.PastResponse.class);
    // Two in each turn of the loop.
    channel.runPendingTasks();
    for (int i = 0; i < held; i++) {
      assertThat(channel.<Object>readOutbound()).isInstanceOf(Pb0.GetResponse.class);
    }
    assertThat(channel.config().isAutoRead()).as("it reads on").isTrue();
  }

  private LocalSnapshots snapshots() {
    return new LocalSnapshots(0, new Held(node.history(), release), folder);
  }

  private EmbeddedChannel connection(ChannelHandler... before) {
    EmbeddedChannel channel = new EmbeddedChannel(before);
    channel
        .pipeline()
        .addLast(
            new RequestHandler(
                new Pb0Requests(node, snapshots()),
                bulk,
                new Routing(node, null),
                share,
                node.counters(),
                () -> StoreUser.ANY));
    return channel;
  }

  private static Object next(EmbeddedChannel channel) {
    List<Object> answers = new ArrayList<>();
    Awaitility.await("an answer")
        .atMost(BOUND)
        .until(
            () -> {
              channel.runPendingTasks();
              Object answer = channel.readOutbound();
              return answer != null && answers.add(answer);
            });
    return answers.get(0);
  }

  private static Object frame(VoldemortRequest request) {
    return Unpooled.wrappedBuffer(request.toByteArray());
  }

  private static VoldemortRequest get() {
    return read(Pb0.RequestType.GET);
  }

  private static VoldemortRequest getVersion() {
    return read(Pb0.RequestType.GET_VERSION);
  }

  private static VoldemortRequest read(Pb0.RequestType type) {
    return VoldemortRequest.newBuilder()
        .setType(type)
        .setShouldRoute(false)
        .setStore(TestNodes.EVERYWHERE)
        .setGet(Pb0.GetRequest.newBuilder().setKey(ByteString.copyFromUtf8("k")))
        .build();
  }

  private VoldemortRequest difference() {
    Pb0.PastPoint now = Pb0.PastPoint.newBuilder().setHlc(node.clock().last().own()).build();
    return past(
        Pb0.PastRequest.newBuilder()
            .setDifference(Pb0.DifferenceRequest.newBuilder().setBefore(now).setAfter(now)));
  }

  private static VoldemortRequest past(Pb0.PastRequest.Builder question) {
    return VoldemortRequest.newBuilder()
        .setType(Pb0.RequestType.PAST)
        .setShouldRoute(false)
        .setStore(TestNodes.EVERYWHERE)
        .setPast(question)
        .build();
  }

  /** Stands still until it is released. */
  private record Held(History history, CountDownLatch release) implements History {
    @Override
    public List<String> stores() {
      return history.stores();
    }

    @Override
    public WindowLog past(String store) {
      return history.past(store);
    }

    @Override
    public long settle(long hlc) {
      try {
        assertThat(release.await(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      return history.settle(hlc);
    }

    @Override
    public byte @Nullable [] get(String store, byte[] key) {
      return history.get(store, key);
    }

    @Override
    public List<Entry> page(String store, byte @Nullable [] after, int bytesMax) {
      return history.page(store, after, bytesMax);
    }
  }
}
