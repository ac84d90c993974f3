package io.palinode.voldemort.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Splits the bytes of a connection into requests. Each is a {@link ByteBuf} that the next handler
 * releases. Bytes that begin no request fail the pipeline with a {@code DecoderException}.
 *
 * <p>A large request is read on once it has its reservation in the {@link FrameBudget}. Its buffer
 * grows with its bytes, up to the reservation. A request that does not arrive in time ends its
 * connection; the time in which the node does not read counts from its end on.
 */
final class RequestFrames extends ByteToMessageDecoder {
  /** User events: the next request waits for its reservation; it has it now. */
  static final Object WAITS = new Object();

  static final Object ARRIVES = new Object();

  private static final Logger log = LoggerFactory.getLogger(RequestFrames.class);

  private final RequestEnd end;
  private final FrameBudget.Share share;
  private final Duration timeout;
  private final NodeCounters counters;

  /** The large request that arrives; the decoder's buffer has only bytes outside of it. */
  private @Nullable ByteBuf large;

  private boolean isReserved;
  private boolean waits;

  /** Whole requests and admissions: a partial request is late if this has not changed. */
  private long steps;

  private @Nullable Future<?> deadline;

  RequestFrames(RequestEnd end, FrameBudget.Share share, Duration timeout, NodeCounters counters) {
    this.end = end;
    this.share = share;
    this.timeout = timeout;
    this.counters = counters;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (waits) {
      return;
    }
    if (large != null) {
      decodeLarge(large, in, out);
      return;
    }
    int length = end.length(in);
    boolean isWhole = length >= 0;
    int bytes = (isWhole ? length : in.readableBytes()) - end.headerBytes();
    if (bytes > FrameBudget.SMALL_BYTES) {
      if (isReserved || reserve(ctx, isWhole ? length : end.lengthMax())) {
        large = ctx.alloc().buffer(FrameBudget.SMALL_BYTES, isWhole ? length : end.lengthMax());
        decodeLarge(large, in, out);
      }
    } else if (isWhole) {
      pass(in.readRetainedSlice(length), out);
    }
  }

  private void decodeLarge(ByteBuf request, ByteBuf in, List<Object> out) {
    int arrived = Math.min(in.readableBytes(), request.maxWritableBytes());
    if (!request.isWritable(arrived)) {
      int doubled = Math.max(2 * request.capacity(), request.readableBytes() + arrived);
      request.capacity(Math.min(doubled, request.maxCapacity()));
    }
    request.writeBytes(in, arrived);
    int length = end.length(request);
    if (length < 0) {
      return;
    }
    in.readerIndex(in.readerIndex() - (request.readableBytes() - length));
    request.writerIndex(length);
    share.shrink(length);
    isReserved = false;
    large = null;
    pass(request, out);
  }

  private void pass(ByteBuf request, List<Object> out) {
    steps++;
    end.next();
    out.add(request.skipBytes(end.headerBytes()));
  }

  private boolean reserve(ChannelHandlerContext ctx, int bytes) {
    isReserved = share.reserve(bytes, () -> ctx.executor().execute(() -> readOn(ctx)));
    if (!isReserved) {
      waits = true;
      counters.add(NodeCounter.REQUESTS_DELAYED);
      ctx.fireUserEventTriggered(WAITS);
    }
    return isReserved;
  }

  private void readOn(ChannelHandlerContext ctx) {
    if (ctx.isRemoved()) {
      return;
    }
    waits = false;
    isReserved = true;
    steps++;
    try {
      channelRead(ctx, Unpooled.EMPTY_BUFFER);
      ctx.fireUserEventTriggered(ARRIVES);
      channelReadComplete(ctx);
    } catch (Exception e) {
      ctx.fireExceptionCaught(e);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    if (waits) {
      // Netty would read on, for the rest of the request.
      ctx.fireChannelReadComplete();
      return;
    }
    if (deadline == null && isPartial()) {
      expectRest(ctx);
    }
    super.channelReadComplete(ctx);
  }

  private boolean isPartial() {
    return large != null || actualReadableBytes() > 0;
  }

  private void expectRest(ChannelHandlerContext ctx) {
    long before = steps;
    deadline =
        ctx.executor()
            .schedule(() -> endIfLate(ctx, before), timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A timer is set for each time, not for each request, so a request may have twice as long. */
  private void endIfLate(ChannelHandlerContext ctx, long before) {
    deadline = null;
    if (!isPartial()) {
      return;
    }
    if (steps != before || !ctx.channel().config().isAutoRead()) {
      expectRest(ctx);
      return;
    }
    counters.add(NodeCounter.REQUESTS_LATE);
    log.debug("connection={} closed: its request did not arrive in {}", ctx.channel(), timeout);
    var unused = ctx.close();
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) {
    if (deadline != null) {
      deadline.cancel(false);
    }
    if (large != null) {
      large.release();
      large = null;
    }
  }
}
