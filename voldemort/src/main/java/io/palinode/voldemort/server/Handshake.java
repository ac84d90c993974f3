package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.protocol.Frames;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers the three bytes that name the protocol, then leaves the connection to that protocol's
 * handlers. A protocol that is not spoken is told no, upon which a stock client gives the
 * connection up; a stock node would close it without a word. A connection that names none in time,
 * or until the node stops, is closed.
 */
final class Handshake extends ByteToMessageDecoder {
  private static final long GRACE_MS = 100;

  private final Protocols protocols;
  private final Duration timeout;
  private final NodeCounters counters;
  private @Nullable Future<?> limit;

  Handshake(Protocols protocols, Duration timeout, NodeCounters counters) {
    this.protocols = protocols;
    this.timeout = timeout;
    this.counters = counters;
  }

  /** What the node speaks. */
  @FunctionalInterface
  interface Protocols {
    /** Adds the handlers of a protocol behind {@code ctx}; false for one that is not spoken. */
    boolean addHandlers(ChannelHandlerContext ctx, String protocol);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    // The thread may have been held up until now, with the name unread: once more round.
    limit = after(ctx, timeout.toMillis(), () -> limit = after(ctx, GRACE_MS, () -> giveUp(ctx)));
  }

  private static Future<?> after(ChannelHandlerContext ctx, long ms, Runnable task) {
    return ctx.executor().schedule(task, ms, TimeUnit.MILLISECONDS);
  }

  private void giveUp(ChannelHandlerContext ctx) {
    counters.add(NodeCounter.MALFORMED);
    var unused = ctx.close();
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) {
    if (limit != null) {
      limit.cancel(false);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == InFlightLimit.DRAIN) {
      var unused = ctx.close();
      return;
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Frames.PROTOCOL_BYTES) {
      return;
    }
    String protocol =
        in.readCharSequence(Frames.PROTOCOL_BYTES, StandardCharsets.US_ASCII).toString();
    if (protocols.addHandlers(ctx, protocol)) {
      var unused = ctx.writeAndFlush(Unpooled.wrappedBuffer(Frames.accepted()), ctx.voidPromise());
      // What came behind the name goes on to those handlers.
      ctx.pipeline().remove(this);
    } else {
      counters.add(NodeCounter.MALFORMED);
      in.skipBytes(in.readableBytes());
      ctx.writeAndFlush(Unpooled.wrappedBuffer(Frames.refused()))
          .addListener(ChannelFutureListener.CLOSE);
    }
  }
}
