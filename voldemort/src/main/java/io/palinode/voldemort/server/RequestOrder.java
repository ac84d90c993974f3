package io.palinode.voldemort.server;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Answers the requests of one connection in their order, also when one of them runs elsewhere:
 * those behind it wait for it. All methods run on the connection's event loop.
 *
 * @param <R> a request
 */
final class RequestOrder<R> {
  private final Start<R> start;

  /** Behind one that runs elsewhere; as many as the connection may have in flight. */
  private final ArrayDeque<R> waiting = new ArrayDeque<>();

  private boolean isElsewhere;

  /** Begins a request. */
  @FunctionalInterface
  interface Start<R> {
    /**
     * Whether it runs elsewhere, as {@link RequestOrder#elsewhere} says; else it has been answered.
     */
    boolean runsElsewhere(ChannelHandlerContext ctx, R request);
  }

  RequestOrder(Start<R> start) {
    this.start = start;
  }

  void add(ChannelHandlerContext ctx, R request) {
    // To send an answer may make room for another request: those that came before it go first.
    if (isElsewhere || !waiting.isEmpty()) {
      waiting.add(request);
    } else {
      start(ctx, request);
    }
  }

  private void start(ChannelHandlerContext ctx, R request) {
    // One that is answered here may have made room for one that is not: that stays so.
    if (start.runsElsewhere(ctx, request)) {
      isElsewhere = true;
    }
  }

  /** What another thread is to run for a request that runs there. */
  Runnable elsewhere(ChannelHandlerContext ctx, Supplier<Object> answer) {
    return () -> {
      if (!ctx.channel().isActive()) {
        // Nobody waits for it any more.
        return;
      }
      try {
        Object found = answer.get();
        ctx.executor().execute(() -> answered(ctx, found));
      } catch (RuntimeException | Error bug) {
        var unused = ctx.close();
        throw bug;
      }
    };
  }

  private void answered(ChannelHandlerContext ctx, Object answer) {
    isElsewhere = false;
    send(ctx, answer);
    while (!isElsewhere && !waiting.isEmpty()) {
      start(ctx, waiting.remove());
    }
    ctx.flush();
  }

  static void send(ChannelHandlerContext ctx, Object answer) {
    // An answer that cannot be sent would leave the next one in its place.
    ctx.write(answer).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }
}
