package io.palinode.voldemort.server;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Answers the requests of one connection in order. If one runs in another thread, later ones wait.
 * All methods run on the connection's event loop.
 *
 * @param <R> a request
 */
final class RequestOrder<R> {
  private final Start<R> start;
  private final FrameBudget.Share share;

  /** Requests after one in another thread; at most the connection's limit in flight. */
  private final ArrayDeque<R> waiting = new ArrayDeque<>();

  private boolean isElsewhere;
  private boolean hasEnded;

  /** Starts a request. */
  @FunctionalInterface
  interface Start<R> {
    /**
     * Whether it runs in another thread; see {@link RequestOrder#elsewhere}. Otherwise it was
     * answered.
     */
    boolean runsElsewhere(ChannelHandlerContext ctx, R request);
  }

  RequestOrder(Start<R> start, FrameBudget.Share share) {
    this.start = start;
    this.share = share;
  }

  void add(ChannelHandlerContext ctx, R request) {
    // Sending an answer may admit another request: earlier ones go first.
    if (isElsewhere || !waiting.isEmpty()) {
      waiting.add(request);
    } else {
      start(ctx, request);
    }
  }

  private void start(ChannelHandlerContext ctx, R request) {
    // A request answered here may have admitted one that runs in another thread: keep that state.
    if (start.runsElsewhere(ctx, request)) {
      isElsewhere = true;
    }
  }

  /** The work of another thread for a request. */
  Runnable elsewhere(ChannelHandlerContext ctx, Supplier<Object> answer) {
    return () -> {
      if (!ctx.channel().isActive()) {
        // The connection is closed: no client waits for the answer.
        share.close();
        return;
      }
      try {
        Object found = answer.get();
        ctx.executor().execute(() -> answered(ctx, found));
      } catch (RuntimeException | Error bug) {
        var unused = ctx.close();
        ctx.executor().execute(this::failed);
        throw bug;
      }
    };
  }

  /** After the close of the connection. */
  private void failed() {
    isElsewhere = false;
    share.close();
  }

  private void answered(ChannelHandlerContext ctx, Object answer) {
    isElsewhere = false;
    if (hasEnded) {
      share.close();
      return;
    }
    send(ctx, answer);
    while (!isElsewhere && !waiting.isEmpty()) {
      start(ctx, waiting.remove());
    }
    ctx.flush();
  }

  /** The connection is closed. A request in another thread keeps its memory until its end. */
  void ended() {
    hasEnded = true;
    waiting.clear();
    if (!isElsewhere) {
      share.close();
    }
  }

  static void send(ChannelHandlerContext ctx, Object answer) {
    // Otherwise the next answer would take the place of the unsent one.
    ctx.write(answer).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }
}
