package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.RequestTimes;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.request.Routing;
import io.palinode.voldemort.request.VpRequests;
import io.palinode.voldemort.request.VpRequests.Work;
import io.palinode.voldemort.vp.VpVersion;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of one native connection in order, on its event loop. Routed requests run in
 * other threads; later requests of the connection wait for them.
 */
final class VpRequestHandler extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger log = LoggerFactory.getLogger(VpRequestHandler.class);

  private final VpRequests requests;
  private final Routing routing;
  private final VpVersion version;
  private final NodeCounters counters;
  private final Supplier<StoreUser> user;
  private final StockConnection stock;
  private final RequestOrder<Work> order;

  VpRequestHandler(
      VpRequests requests,
      Routing routing,
      FrameBudget.Share share,
      VpVersion version,
      NodeCounters counters,
      Supplier<StoreUser> user) {
    this.requests = requests;
    this.routing = routing;
    this.version = version;
    this.counters = counters;
    this.user = user;
    this.stock = new StockConnection(counters);
    this.order = new RequestOrder<>(this::start, share);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    stock.known();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stock.ended();
    order.ended();
    ctx.fireChannelInactive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf request) {
    order.add(ctx, requests.work(version, request.nioBuffer(), user.get()));
  }

  private boolean start(ChannelHandlerContext ctx, Work work) {
    if (!work.isRouted()) {
      long begun = System.nanoTime();
      byte[] answer = work.answer().get();
      counters.took(RequestTimes.Kind.STOCK, System.nanoTime() - begun);
      return answer(ctx, answer);
    }
    Runnable elsewhere = order.elsewhere(ctx, () -> Unpooled.wrappedBuffer(work.answer().get()));
    return routing.offer(elsewhere) || answer(ctx, requests.refuseRouted());
  }

  /** False if it does not run in another thread. */
  private static boolean answer(ChannelHandlerContext ctx, byte[] answer) {
    RequestOrder.send(ctx, Unpooled.wrappedBuffer(answer));
    return false;
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
    // With the answers to earlier requests.
    ctx.flush();
    var unused = ctx.close();
  }
}
