package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.palinode.voldemort.vp.RequestScan;
import io.palinode.voldemort.vp.VpVersion;
import java.util.List;

/**
 * Cuts what a connection of a native protocol reads into whole requests, each a {@link ByteBuf}
 * that the next handler releases. Bytes with which no request begins fail the pipeline with a
 * {@code DecoderException}.
 */
final class VpFrames extends ByteToMessageDecoder {
  private final VpVersion version;
  private RequestScan scan;

  VpFrames(VpVersion version) {
    this.version = version;
    this.scan = new RequestScan(version);
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    int length = scan.length(in.nioBuffer());
    if (length >= 0) {
      out.add(in.readRetainedSlice(length));
      scan = new RequestScan(version);
    }
  }
}
