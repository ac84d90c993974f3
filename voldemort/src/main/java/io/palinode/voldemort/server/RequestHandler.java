package io.palinode.voldemort.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.RequestTimes;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.request.ClientRights;
import io.palinode.voldemort.request.Pb0Requests;
import io.palinode.voldemort.request.Pb0Scan;
import io.palinode.voldemort.request.Routing;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the requests of one connection in order, on its event loop, and sends each answer. Bulk and
 * routed requests run in other threads; only later requests of the same connection wait for them.
 * Closes the connection on invalid bytes.
 */
final class RequestHandler extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger log = LoggerFactory.getLogger(RequestHandler.class);

  private final Pb0Requests requests;
  private final BulkRequests bulk;
  private final Routing routing;
  private final NodeCounters counters;
  private final Supplier<StoreUser> user;
  private final StockConnection stock;

  private final RequestOrder<Asked> order;

  /** A received request, or the refusal of one above a limit. */
  private record Asked(VoldemortRequest request, Pb0Scan.@Nullable TooMuch tooMuch) {}

  /**
   * @param user the client of the connection, as the users file has it now
   */
  RequestHandler(
      Pb0Requests requests,
      BulkRequests bulk,
      Routing routing,
      FrameBudget.Share share,
      NodeCounters counters,
      Supplier<StoreUser> user) {
    this.requests = requests;
    this.bulk = bulk;
    this.routing = routing;
    this.counters = counters;
    this.user = user;
    this.stock = new StockConnection(counters);
    this.order = new RequestOrder<>(this::start, share);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    stock.ended();
    order.ended();
    ctx.fireChannelInactive();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame)
      throws InvalidProtocolBufferException {
    Pb0Scan.TooMuch tooMuch = Pb0Scan.in(frame);
    if (tooMuch != null) {
      order.add(ctx, new Asked(VoldemortRequest.getDefaultInstance(), tooMuch));
      return;
    }
    VoldemortRequest request = Frames.parse(frame, VoldemortRequest.parser());
    if (!request.hasPalinode()) {
      stock.known();
    }
    order.add(ctx, new Asked(request, null));
  }

  private boolean start(ChannelHandlerContext ctx, Asked asked) {
    if (asked.tooMuch() != null) {
      return answer(ctx, requests.refuse(asked.tooMuch()));
    }
    VoldemortRequest request = asked.request();
    StoreUser client = user.get();
    String why = ClientRights.refusal(client, request);
    if (why != null) {
      return answer(ctx, requests.refuse(client.isUnknown() ? bare(request) : request, why));
    }
    if (requests.isBulk(request)) {
      return bulk.offer(elsewhere(ctx, request))
          || answer(ctx, requests.refuseBulk(request, BulkRequests.MAX));
    }
    if (requests.isRouted(request)) {
      return routing.offer(elsewhere(ctx, request)) || answer(ctx, requests.refuseRouted(request));
    }
    long begun = System.nanoTime();
    MessageLite answer = requests.answer(request);
    counters.took(kind(request), System.nanoTime() - begun);
    return answer(ctx, answer);
  }

  private static RequestTimes.Kind kind(VoldemortRequest request) {
    return switch (request.getType()) {
      case PUT, DELETE -> RequestTimes.Kind.WRITE;
      default -> RequestTimes.Kind.READ;
    };
  }

  /** Without a context, the answer has none: it would name keys. */
  private static VoldemortRequest bare(VoldemortRequest request) {
    return request.toBuilder().clearPalinode().build();
  }

  private Runnable elsewhere(ChannelHandlerContext ctx, VoldemortRequest request) {
    return order.elsewhere(ctx, () -> requests.answer(request));
  }

  /** False if it does not run in another thread. */
  private static boolean answer(ChannelHandlerContext ctx, MessageLite answer) {
    RequestOrder.send(ctx, answer);
    return false;
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
    // With the answers to earlier requests.
    ctx.flush();
    var unused = ctx.close();
  }
}
