package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.protocol.Frames;
import java.util.Arrays;
import java.util.List;

/**
 * Answers the three bytes that name the protocol, then leaves the connection to the handlers behind
 * it. Any other protocol than pb0 is told no, upon which a stock client gives the connection up.
 */
final class Handshake extends ByteToMessageDecoder {
  private final NodeCounters counters;

  Handshake(NodeCounters counters) {
    this.counters = counters;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Frames.PROTOCOL_BYTES) {
      return;
    }
    byte[] protocol = new byte[Frames.PROTOCOL_BYTES];
    in.readBytes(protocol);
    if (Arrays.equals(protocol, Frames.protocol())) {
      var unused = ctx.writeAndFlush(Unpooled.wrappedBuffer(Frames.accepted()), ctx.voidPromise());
      ctx.pipeline().remove(this);
    } else {
      counters.add(NodeCounter.MALFORMED);
      in.skipBytes(in.readableBytes());
      ctx.writeAndFlush(Unpooled.wrappedBuffer(Frames.refused()))
          .addListener(ChannelFutureListener.CLOSE);
    }
  }
}
