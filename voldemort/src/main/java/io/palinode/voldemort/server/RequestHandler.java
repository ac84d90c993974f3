package io.palinode.voldemort.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of one connection in their order, on its event loop, and sends each answer. A
 * bulk request, and one that is routed, runs elsewhere; those behind it on its connection wait for
 * it, and nobody else does. What is no request ends the connection.
 */
final class RequestHandler extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger log = LoggerFactory.getLogger(RequestHandler.class);

  private final Pb0Requests requests;
  private final BulkRequests bulk;
  private final Routing routing;
  private final NodeCounters counters;
  private final StockConnection stock;

  /** Behind one that runs elsewhere; as many as the connection may have in flight. */
  private final ArrayDeque<VoldemortRequest> waiting = new ArrayDeque<>();

  private boolean isElsewhere;

  RequestHandler(Pb0Requests requests, BulkRequests bulk, Routing routing, NodeCounters counters) {
    this.requests = requests;
    this.bulk = bulk;
    this.routing = routing;
    this.counters = counters;
    this.stock = new StockConnection(counters);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stock.ended();
    ctx.fireChannelInactive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame)
      throws InvalidProtocolBufferException {
    VoldemortRequest request = Frames.parse(frame, VoldemortRequest.parser());
    if (!request.hasPalinode()) {
      stock.known();
    }
    // To send an answer may make room for another request: those that came before it go first.
    if (isElsewhere || !waiting.isEmpty()) {
      waiting.add(request);
    } else {
      start(ctx, request);
    }
  }

  private void start(ChannelHandlerContext ctx, VoldemortRequest request) {
    if (requests.isBulk(request)) {
      isElsewhere = bulk.offer(() -> runElsewhere(ctx, request));
      if (!isElsewhere) {
        send(ctx, requests.refuseBulk(request));
      }
    } else if (requests.isRouted(request)) {
      isElsewhere = routing.offer(() -> runElsewhere(ctx, request));
      if (!isElsewhere) {
        send(ctx, requests.refuseRouted(request));
      }
    } else {
      send(ctx, requests.answer(request));
    }
  }

  /** In a thread of the bulk requests, or of the routed ones. */
  private void runElsewhere(ChannelHandlerContext ctx, VoldemortRequest request) {
    if (!ctx.channel().isActive()) {
      // Nobody waits for it any more.
      return;
    }
    try {
      MessageLite answer = requests.answer(request);
      ctx.executor().execute(() -> answered(ctx, answer));
    } catch (Error bug) {
      var unused = ctx.close();
      throw bug;
    }
  }

  private void answered(ChannelHandlerContext ctx, MessageLite answer) {
    isElsewhere = false;
    send(ctx, answer);
    while (!isElsewhere && !waiting.isEmpty()) {
      start(ctx, waiting.remove());
    }
    ctx.flush();
  }

  private static void send(ChannelHandlerContext ctx, MessageLite answer) {
    // An answer that cannot be sent would leave the next one in its place.
    ctx.write(answer).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
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
    // With the answers to what came before.
    ctx.flush();
    var unused = ctx.close();
  }
}
