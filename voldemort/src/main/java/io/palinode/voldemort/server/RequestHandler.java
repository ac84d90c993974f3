package io.palinode.voldemort.server;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of one connection in their order, on the executor that it was added with, and
 * sends each answer. What is no request ends the connection.
 */
final class RequestHandler extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger log = LoggerFactory.getLogger(RequestHandler.class);

  private final Pb0Requests requests;
  private final NodeCounters counters;

  RequestHandler(Pb0Requests requests, NodeCounters counters) {
    this.requests = requests;
    this.counters = counters;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame)
      throws InvalidProtocolBufferException {
    VoldemortRequest request = Frames.parse(frame, VoldemortRequest.parser());
    // An answer that cannot be sent would leave the next one in its place.
    ctx.write(requests.answer(request)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof DecoderException || cause instanceof InvalidProtocolBufferException) {
      counters.add(NodeCounter.MALFORMED);
    }
    log.debug("connection={} closed", ctx.channel(), cause);
    var unused = ctx.close();
  }
}
