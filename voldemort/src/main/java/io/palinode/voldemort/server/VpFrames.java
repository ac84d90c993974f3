package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.palinode.voldemort.vp.RequestScan;
import io.palinode.voldemort.vp.VpVersion;
import java.util.List;

/**
 * Splits the bytes of a native connection into requests. Each is a {@link ByteBuf} that the next
 * handler releases. Bytes that begin no request fail the pipeline with a {@code DecoderException}.
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
