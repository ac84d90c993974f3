package io.palinode.voldemort.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.TestNodes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Time is given by hand. */
class HandshakeTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final StoreNode node = TestNodes.inMemory(TestNodes.clock());
  private final NodeCounters counters = node.counters();
  private final EmbeddedChannel channel = channel();

  private EmbeddedChannel channel() {
    EmbeddedChannel made = new EmbeddedChannel();
    made.freezeTime();
    made.pipeline().addLast(new Handshake((ctx, protocol) -> true, TIMEOUT, counters));
    return made;
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void pass(Duration time) {
    channel.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void whoNamesNoProtocolInTimeIsClosed() {
    pass(TIMEOUT.minusMillis(1));
    assertThat(channel.isOpen()).isTrue();
    pass(Duration.ofMillis(1));
    pass(Duration.ofSeconds(1));
    assertThat(channel.isOpen()).isFalse();
    assertThat(counters.get(NodeCounter.MALFORMED)).isEqualTo(1);
  }

  @Test
  void aNameThatTheThreadHadNoTimeToReadIsInTime() {
    // Held up, the thread looks at its clock before it reads on.
    pass(TIMEOUT.multipliedBy(2));
    channel.writeInbound(Unpooled.copiedBuffer("pb0", StandardCharsets.US_ASCII));
    pass(TIMEOUT);
    assertThat(channel.isOpen()).isTrue();
    ByteBuf answer = channel.readOutbound();
    assertThat(answer.toString(StandardCharsets.US_ASCII)).isEqualTo("ok");
    answer.release();
    assertThat(counters.get(NodeCounter.MALFORMED)).isZero();
  }
}
