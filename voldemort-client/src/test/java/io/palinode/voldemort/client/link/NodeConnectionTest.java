package io.palinode.voldemort.client.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.palinode.voldemort.client.TestCluster;
import io.palinode.voldemort.client.TestNode;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.protocol.Versioned;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection to a node that takes one request at a time, by a clock of the test's. */
class NodeConnectionTest {
  private static final long TIMEOUT_MILLIS = 200;

  private final TestCluster cluster = new TestCluster();
  private final TestNode node = cluster.node(0);
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger reconnects = new AtomicInteger();
  private final NioEventLoopGroup threads =
      new NioEventLoopGroup(1, new DefaultThreadFactory("connection", true));
  private final NodeConnection connection =
      new NodeConnection(
          0,
          InetSocketAddress.createUnresolved("localhost", node.port()),
          new Transport(
              threads,
              NodeLinks.DEFAULT.withRequestTimeout(Duration.ofMillis(TIMEOUT_MILLIS)),
              new Session("c1", Duration.ofSeconds(20)),
              new LinkListener() {
                @Override
                public void reconnected() {
                  reconnects.incrementAndGet();
                }
              },
              nanos::get));

  @BeforeEach
  void takeOneRequestAtATime() {
    node.beAgent();
    node.hold();
  }

  @AfterEach
  void close() {
    connection.close();
    cluster.close();
    threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private CompletableFuture<List<Versioned>> ask() {
    return connection.send(Ask.metadata("node.id"), EpochView.UNKNOWN);
  }

  private void pass(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void awaitHeld(int count) {
    await().until(() -> node.heldCount() == count);
  }

  private static void assertTimesOut(CompletableFuture<?> asked) {
    await().until(asked::isDone);
    assertThatThrownBy(asked::join).hasRootCauseMessage("node 0: no answer within 200 ms");
  }

  @Test
  void aNodeThatNeverAnswersWhatWasGivenUpIsTakenForHung() {
    CompletableFuture<?> givenUp = ask();
    awaitHeld(1);
    connection.giveUp(epoch -> true);
    assertThat(givenUp).isCompletedExceptionally();
    CompletableFuture<?> behind = ask();

    pass(TIMEOUT_MILLIS + 1);
    assertTimesOut(behind);

    CompletableFuture<?> later = ask();
    awaitHeld(2);
    assertThat(node.connectionsAccepted()).isEqualTo(2);
    node.release();
    await().until(later::isDone);
    assertThat(later).isCompleted();
  }

  @Test
  void aRequestThatWaitedForOthersTooLongFailsAndItsConnectionStays() {
    CompletableFuture<?> first = ask();
    CompletableFuture<?> second = ask();
    awaitHeld(1);
    pass(TIMEOUT_MILLIS - 1);
    node.releaseHeld();
    await().until(first::isDone);
    assertThat(first).isCompleted();
    awaitHeld(1);

    pass(2);
    assertTimesOut(second);

    node.release();
    CompletableFuture<?> third = ask();
    await().until(third::isDone);
    assertThat(third).isCompleted();
    assertThat(node.connectionsAccepted()).isEqualTo(1);
    assertThat(reconnects).hasValue(0);
  }
}
