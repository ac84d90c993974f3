package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.vp.VpVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of one connection of a native protocol in their order, on its event loop, and
 * sends each answer.
 */
final class VpRequestHandler extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger log = LoggerFactory.getLogger(VpRequestHandler.class);

  private final VpRequests requests;
  private final VpVersion version;
  private final NodeCounters counters;
  private final StockConnection stock;

  VpRequestHandler(VpRequests requests, VpVersion version, NodeCounters counters) {
    this.requests = requests;
    this.version = version;
    this.counters = counters;
    this.stock = new StockConnection(counters);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    stock.known();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stock.ended();
    ctx.fireChannelInactive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf request) {
    byte[] answer = requests.answer(version, request.nioBuffer());
    // An answer that cannot be sent would leave the next one in its place.
    ctx.write(Unpooled.wrappedBuffer(answer)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.flush();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof DecoderException) {
      counters.add(NodeCounter.MALFORMED);
    }
    log.debug("connection={} closed", ctx.channel(), cause);
    // With the answers to what came before.
    ctx.flush();
    var unused = ctx.close();
  }
}
