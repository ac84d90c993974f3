package io.palinode.voldemort.server;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import java.util.ArrayDeque;

/**
 * Holds requests back while too many of their connection are not answered, while its answers are
 * not taken, or when as many were started in this turn of the event loop, which others share; and
 * reads no further meanwhile. Lets the connection end when the last request in flight is answered.
 * All methods run on the channel's event loop.
 *
 * <p>Requests go on in batches, each followed by a read-complete event, upon which the next handler
 * flushes its answers.
 */
final class InFlightLimit extends ChannelDuplexHandler {
  /** A user event: start no more requests, close once nothing is in flight. */
  static final Object DRAIN = new Object();

  private final int inFlightMax;
  private final NodeCounters counters;

  /** What one read of the socket brought too much; bounded, for there is no other read. */
  private final ArrayDeque<Object> held = new ArrayDeque<>();

  private int inFlight;

  /** Since the socket was last read out, or the loop had a turn. */
  private int startedInTurn;

  private boolean nextTurnDue;
  private boolean starting;
  private boolean draining;
  private boolean failed;

  InFlightLimit(int inFlightMax, NodeCounters counters) {
    this.inFlightMax = inFlightMax;
    this.counters = counters;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object request) {
    if (held.isEmpty() && mayStart(ctx)) {
      start(ctx, request);
      return;
    }
    held.add(request);
    awaitTurn(ctx);
    if (ctx.channel().config().isAutoRead()) {
      counters.add(NodeCounter.THROTTLED);
      ctx.channel().config().setAutoRead(false);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    startedInTurn = 0;
    ctx.fireChannelReadComplete();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object answer, ChannelPromise promise) {
    inFlight--;
    if (draining && inFlight == 0) {
      ctx.writeAndFlush(answer, promise.unvoid()).addListener(ChannelFutureListener.CLOSE);
      return;
    }
    var unused = ctx.write(answer, promise);
    startHeld(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    startHeld(ctx);
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event != DRAIN) {
      ctx.fireUserEventTriggered(event);
      return;
    }
    draining = true;
    ctx.channel().config().setAutoRead(false);
    if (inFlight == 0) {
      // Behind what a slow reader has not taken yet.
      ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** What follows bytes that are no request is none either. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (failed) {
      // Netty decodes once more what is left when the connection closes.
      return;
    }
    failed = true;
    draining = true;
    ctx.channel().config().setAutoRead(false);
    ctx.fireExceptionCaught(cause);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    draining = true;
    held.forEach(ReferenceCountUtil::release);
    held.clear();
    ctx.fireChannelInactive();
  }

  /** Goes on at half the limit: in batches, not one request for each answer. */
  private void startHeld(ChannelHandlerContext ctx) {
    boolean isDue = !ctx.channel().config().isAutoRead() && inFlight <= inFlightMax / 2;
    // Requests are answered, and answers flushed, within this very call.
    if (starting || !isDue || !mayStart(ctx)) {
      return;
    }
    starting = true;
    try {
      do {
        startSome(ctx);
        ctx.fireChannelReadComplete();
      } while (!held.isEmpty() && mayStart(ctx));
    } finally {
      starting = false;
    }
    if (held.isEmpty() && !draining) {
      ctx.channel().config().setAutoRead(true);
    }
    awaitTurn(ctx);
  }

  private void awaitTurn(ChannelHandlerContext ctx) {
    if (held.isEmpty() || startedInTurn < inFlightMax || nextTurnDue) {
      return;
    }
    nextTurnDue = true;
    ctx.executor()
        .execute(
            () -> {
              nextTurnDue = false;
              startedInTurn = 0;
              startHeld(ctx);
            });
  }

  private void startSome(ChannelHandlerContext ctx) {
    while (!held.isEmpty() && mayStart(ctx)) {
      start(ctx, held.remove());
    }
  }

  private void start(ChannelHandlerContext ctx, Object request) {
    inFlight++;
    startedInTurn++;
    ctx.fireChannelRead(request);
  }

  private boolean mayStart(ChannelHandlerContext ctx) {
    return !draining
        && inFlight < inFlightMax
        && startedInTurn < inFlightMax
        && ctx.channel().isWritable();
  }
}
