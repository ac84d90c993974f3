package io.palinode.voldemort.server;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;

/**
 * Stops reading from a connection while too many of its requests are not answered, or while its
 * answers are not taken; and lets it end when the last request in flight is answered. All methods
 * run on the channel's event loop.
 */
final class InFlightLimit extends ChannelDuplexHandler {
  /** A user event: read no more, close once nothing is in flight. */
  static final Object DRAIN = new Object();

  private final int inFlightMax;
  private final NodeCounters counters;
  private int inFlight;
  private boolean draining;

  InFlightLimit(int inFlightMax, NodeCounters counters) {
    this.inFlightMax = inFlightMax;
    this.counters = counters;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object request) {
    inFlight++;
    adjust(ctx);
    ctx.fireChannelRead(request);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object answer, ChannelPromise promise) {
    inFlight--;
    if (draining && inFlight == 0) {
      ctx.writeAndFlush(answer, promise.unvoid()).addListener(ChannelFutureListener.CLOSE);
      return;
    }
    var unused = ctx.write(answer, promise);
    adjust(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    adjust(ctx);
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event != DRAIN) {
      ctx.fireUserEventTriggered(event);
      return;
    }
    draining = true;
    adjust(ctx);
    if (inFlight == 0) {
      var unused = ctx.close();
    }
  }

  /** Reads on only at half the limit: not a stop and a start for each answer. */
  private void adjust(ChannelHandlerContext ctx) {
    boolean reading = ctx.channel().config().isAutoRead();
    boolean mustStop = draining || inFlight >= inFlightMax || !ctx.channel().isWritable();
    if (!reading && !ctx.channel().isWritable()) {
      // Behind a stopped read there is no end of a batch that would flush.
      ctx.flush();
    }
    if (reading && mustStop) {
      counters.add(NodeCounter.THROTTLED);
      ctx.channel().config().setAutoRead(false);
    } else if (!reading && !mustStop && inFlight <= inFlightMax / 2) {
      ctx.channel().config().setAutoRead(true);
    }
  }
}
