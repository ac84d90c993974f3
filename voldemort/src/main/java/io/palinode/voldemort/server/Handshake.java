package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.protocol.Frames;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Answers the three bytes that name the protocol, then leaves the connection to that protocol's
 * handlers. A protocol that is not spoken is told no, upon which a stock client gives the
 * connection up; a stock node would close it without a word.
 */
final class Handshake extends ByteToMessageDecoder {
  private final Protocols protocols;
  private final NodeCounters counters;

  Handshake(Protocols protocols, NodeCounters counters) {
    this.protocols = protocols;
    this.counters = counters;
  }

  /** What the node speaks. */
  @FunctionalInterface
  interface Protocols {
    /** Adds the handlers of a protocol behind {@code ctx}; false for one that is not spoken. */
    boolean addHandlers(ChannelHandlerContext ctx, String protocol);
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
