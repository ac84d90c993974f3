package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
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
 * Limits the requests in flight of one connection, and their bytes, and stops reading above a
 * limit. A request above {@link FrameBudget#SMALL_BYTES} runs alone. It also holds requests back
 * while the client does not read answers, and after as many in one turn of the shared event loop.
 * Closes the connection when the last request in flight is answered. All methods run on the
 * channel's event loop.
 *
 * <p>Requests pass in batches, each followed by a read-complete event; the next handler then
 * flushes its answers.
 */
final class InFlightLimit extends ChannelDuplexHandler {
  /** A user event: start no more requests, close once no request is in flight. */
  static final Object DRAIN = new Object();

  private final int inFlightMax;
  private final FrameBudget.Share share;
  private final NodeCounters counters;

  /** Requests of one read above the limit; bounded, since no other read follows. */
  private final ArrayDeque<Object> held = new ArrayDeque<>();

  private int inFlight;

  /** Of the requests started since none was in flight. A larger one runs alone. */
  private int bytesInFlight;

  private boolean frameWaits;

  /** Requests since the socket was last read empty, or since the last turn of the loop. */
  private int startedInTurn;

  private boolean nextTurnDue;
  private boolean starting;
  private boolean draining;
  private boolean failed;

  InFlightLimit(int inFlightMax, FrameBudget.Share share, NodeCounters counters) {
    this.inFlightMax = inFlightMax;
    this.share = share;
    this.counters = counters;
  }

  /** Whether the connection has no request. On the event loop. */
  boolean isIdle() {
    return inFlight == 0 && held.isEmpty() && !frameWaits;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object request) {
    if (held.isEmpty() && mayStart(ctx, bytes(request))) {
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
    if (inFlight == 0) {
      if (bytesInFlight > FrameBudget.SMALL_BYTES) {
        share.answered();
      }
      bytesInFlight = 0;
    }
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
    if (event == RequestFrames.WAITS) {
      frameWaits = true;
      ctx.channel().config().setAutoRead(false);
      return;
    }
    if (event == RequestFrames.ARRIVES) {
      frameWaits = false;
      readOn(ctx);
      return;
    }
    if (event != DRAIN) {
      ctx.fireUserEventTriggered(event);
      return;
    }
    draining = true;
    ctx.channel().config().setAutoRead(false);
    if (inFlight == 0) {
      // After the answers that a slow client has not read yet.
      ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** Bytes after an invalid request are not requests either. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (failed) {
      // Netty decodes the remaining bytes again when the connection closes.
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

  /** Resumes at half the limit: in batches, not one request for each answer. */
  private void startHeld(ChannelHandlerContext ctx) {
    boolean isDue = !ctx.channel().config().isAutoRead() && inFlight <= inFlightMax / 2;
    // This call itself may answer requests and flush answers.
    if (starting || !isDue || !mayStartHeld(ctx)) {
      return;
    }
    starting = true;
    try {
      do {
        startSome(ctx);
        ctx.fireChannelReadComplete();
      } while (!held.isEmpty() && mayStartHeld(ctx));
    } finally {
      starting = false;
    }
    readOn(ctx);
    awaitTurn(ctx);
  }

  private void readOn(ChannelHandlerContext ctx) {
    if (held.isEmpty() && !draining && !frameWaits) {
      ctx.channel().config().setAutoRead(true);
    }
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
    while (!held.isEmpty() && mayStartHeld(ctx)) {
      start(ctx, held.remove());
    }
  }

  private void start(ChannelHandlerContext ctx, Object request) {
    inFlight++;
    bytesInFlight += bytes(request);
    startedInTurn++;
    ctx.fireChannelRead(request);
  }

  private boolean mayStartHeld(ChannelHandlerContext ctx) {
    return held.isEmpty() ? mayStart(ctx, 0) : mayStart(ctx, bytes(held.element()));
  }

  private boolean mayStart(ChannelHandlerContext ctx, int bytes) {
    return !draining
        && inFlight < inFlightMax
        && (inFlight == 0 || bytesInFlight + bytes <= FrameBudget.SMALL_BYTES)
        && startedInTurn < inFlightMax
        && ctx.channel().isWritable();
  }

  private static int bytes(Object request) {
    return request instanceof ByteBuf frame ? frame.readableBytes() : 0;
  }
}
