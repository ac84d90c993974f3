package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a connection whose client has stopped to read its answers: its next request would keep its
 * memory meanwhile. A client that reads slowly is served, unless the answers of all connections
 * have no room and its answer has waited longest.
 */
final class UnreadAnswers extends IdleStateHandler {
  private static final Logger log = LoggerFactory.getLogger(UnreadAnswers.class);

  private final Duration timeout;
  private final AnswerBudget budget;
  private final NodeCounters counters;

  /**
   * @param timeout without a byte that was read, once or twice
   */
  UnreadAnswers(Duration timeout, AnswerBudget budget, NodeCounters counters) {
    super(true, 0, timeout.toMillis(), 0, TimeUnit.MILLISECONDS);
    this.timeout = timeout;
    this.budget = budget;
    this.counters = counters;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object answer, ChannelPromise promise)
      throws Exception {
    int bytes = answer instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
    if (bytes <= FrameBudget.SMALL_BYTES) {
      super.write(ctx, answer, promise);
      return;
    }
    List<Channel> givenUp = new ArrayList<>();
    AnswerBudget.Unread unread = budget.add(ctx.channel(), bytes, givenUp);
    for (Channel connection : givenUp) {
      counters.add(NodeCounter.ANSWERS_UNREAD);
      log.debug("connection={} closed: its answer has waited longest", connection);
      var unused = connection.close();
    }
    ChannelPromise written = promise.unvoid();
    var unused = written.addListener(done -> budget.read(unread));
    super.write(ctx, answer, written);
  }

  @Override
  protected void channelIdle(ChannelHandlerContext ctx, IdleStateEvent event) {
    if (!ctx.channel().isWritable()) {
      counters.add(NodeCounter.ANSWERS_UNREAD);
      log.debug("connection={} closed: it read no answer in {}", ctx.channel(), timeout);
      var unused = ctx.close();
    }
  }
}
