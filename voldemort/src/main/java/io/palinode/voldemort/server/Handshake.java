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
 * Answers the three bytes that name the protocol, then installs that protocol's handlers. Answers
 * no to an unknown protocol; a stock client then closes the connection. (A stock node closes it
 * without an answer.) Closes a connection that names no protocol in time.
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

  /** The protocols of the node. */
  @FunctionalInterface
  interface Protocols {
    /** Adds the handlers of a protocol after {@code ctx}; false for an unknown protocol. */
    boolean addHandlers(ChannelHandlerContext ctx, String protocol);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    // The thread may have been delayed, with the name still unread: wait once more.
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

  /** The connection broke, or is not TLS where it must be. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    counters.add(NodeCounter.MALFORMED);
    var unused = ctx.close();
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
      // Bytes after the name go to those handlers.
      ctx.pipeline().remove(this);
    } else {
      counters.add(NodeCounter.MALFORMED);
      in.skipBytes(in.readableBytes());
      ctx.writeAndFlush(Unpooled.wrappedBuffer(Frames.refused()))
          .addListener(ChannelFutureListener.CLOSE);
    }
  }
}
