package io.palinode.voldemort.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a connection whose client has stopped to read its answers: its next request would keep its
 * memory meanwhile. A client that reads slowly is served.
 */
final class UnreadAnswers extends IdleStateHandler {
  private static final Logger log = LoggerFactory.getLogger(UnreadAnswers.class);

  private final Duration timeout;
  private final NodeCounters counters;

  /**
   * @param timeout without a byte that was read, once or twice
   */
  UnreadAnswers(Duration timeout, NodeCounters counters) {
    super(true, 0, timeout.toMillis(), 0, TimeUnit.MILLISECONDS);
    this.timeout = timeout;
    this.counters = counters;
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
