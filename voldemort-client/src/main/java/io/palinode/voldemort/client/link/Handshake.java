package io.palinode.voldemort.client.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.palinode.voldemort.protocol.Frames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Asks the node for pb0, and makes way for frames once it agreed. */
final class Handshake extends ByteToMessageDecoder {
  private final Runnable agreed;

  /**
   * @param agreed runs on the event thread when requests may be written
   */
  Handshake(Runnable agreed) {
    this.agreed = agreed;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    var unused = ctx.writeAndFlush(Unpooled.wrappedBuffer(Frames.protocol()));
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws IOException {
    if (in.readableBytes() < Frames.ANSWER_BYTES) {
      return;
    }
    byte[] answer = new byte[Frames.ANSWER_BYTES];
    in.readBytes(answer);
    if (!Arrays.equals(answer, Frames.accepted())) {
      throw new IOException(
          "the node does not speak pb0: answer=" + new String(answer, StandardCharsets.US_ASCII));
    }
    ctx.pipeline().addAfter(ctx.name(), null, Frames.decoder());
    ctx.pipeline().addAfter(ctx.name(), null, Frames.encoder());
    ctx.pipeline().remove(this);
    agreed.run();
  }
}
