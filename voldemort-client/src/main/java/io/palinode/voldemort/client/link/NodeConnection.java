package io.palinode.voldemort.client.link;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.client.session.RefusedByFence;
import io.palinode.voldemort.client.session.Session;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a node, opened when it is needed, on which requests follow each other without
 * waiting for answers. A node answers in order.
 *
 * <p>Stock nodes take one request at a time, with or without the agent, so a connection begins that
 * way and pipelines once an answer has said that the node takes several.
 *
 * <p>{@link #send} is thread-safe; everything else here runs on the event thread. Each request ends
 * within the request timeout, wherever it is. A node that does not answer within that time what was
 * written to it counts as hung, even if no caller waits for that answer any more: its connection is
 * closed, which fails what else is on it.
 */
final class NodeConnection {
  private static final int CONNECT_TIMEOUT_MS = 500;

  /** For a node that was reached before. Another one may still be starting. */
  private static final int HANDSHAKE_TIMEOUT_MS = 2 * CONNECT_TIMEOUT_MS;

  private static final int OUTSTANDING_MAX = 1 << 16;
  private static final int PIPELINE_MAX = 1 << 10;
  private static final long BACKOFF_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long BACKOFF_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
  private static final int SWEEPS_PER_TIMEOUT = 10;
  private static final int ACCEPTS_SEVERAL = 1;
  private static final int ACCEPTS_PAST = 2;

  private final int node;
  private final InetSocketAddress address;
  private final Transport transport;
  private final EventLoop thread;
  private final Future<?> sweep;

  /** All requests without an answer, also those that the link model holds. */
  private final Set<Exchange<?>> outstanding = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /** The last answer did not say that the node takes several requests. */
  private volatile boolean takesOne;

  /** The last answer said that the node answers questions about its past. */
  private volatile boolean acceptsPast;

  private enum State {
    IDLE,
    CONNECTING,
    OPEN,
    CLOSED
  }

  private State state = State.IDLE;
  private @Nullable Channel channel;
  private @Nullable Future<?> handshakeDeadline;
  private boolean hadChannel;
  private boolean pipelined;
  private long backoffNanos;
  private long retryAtNanos;
  private String lastFailure = "";

  /** Not written yet. */
  private final ArrayDeque<Exchange<?>> waiting = new ArrayDeque<>();

  /** Written, in order; the next answer belongs to the first. */
  private final ArrayDeque<Exchange<?>> written = new ArrayDeque<>();

  NodeConnection(int node, InetSocketAddress address, Transport transport) {
    this.node = node;
    this.address = address;
    this.transport = transport;
    this.thread = transport.threads().next();
    this.retryAtNanos = transport.nanoTime().getAsLong();
    long period = Math.max(1, transport.links().requestTimeout().toMillis() / SWEEPS_PER_TIMEOUT);
    this.sweep =
        thread.scheduleWithFixedDelay(this::failOverdue, period, period, TimeUnit.MILLISECONDS);
  }

  int node() {
    return node;
  }

  /** Whether the node is known to take one request at a time. Thread-safe. */
  boolean takesOne() {
    return takesOne;
  }

  /** Whether the node is known to answer questions about its past. Thread-safe. */
  boolean acceptsPast() {
    return acceptsPast;
  }

  /** As {@link NodeLanes#send}, whatever the node accepts. */
  <T> CompletableFuture<T> send(Ask<T> ask, long epoch) {
    Pb0.VoldemortRequest message =
        ask.request().toBuilder()
            .setPalinode(
                transport.session().context(epoch, ask.origin(), ask.readAt(), ask.proof()))
            .build();
    Exchange<T> exchange = new Exchange<>(ask, message, epoch, transport.nanoTime().getAsLong());
    if (message.getSerializedSize() > Frames.MESSAGE_BYTES_MAX) {
      exchange.fail(failure("the request is too large: bytes=" + message.getSerializedSize()));
    } else if (outstanding.size() >= OUTSTANDING_MAX) {
      transport.listener().refused();
      exchange.fail(failure("too many requests are under way: " + OUTSTANDING_MAX));
    } else {
      outstanding.add(exchange);
      var unused = exchange.result.whenComplete((body, failure) -> outstanding.remove(exchange));
      if (closed) {
        exchange.fail(closedException());
      }
      transport.links().model().carry(node, LinkModel.Direction.REQUEST, () -> hand(exchange));
    }
    return exchange.result;
  }

  private NodeException failure(String reason) {
    return new NodeException(node, reason);
  }

  private void hand(Exchange<?> exchange) {
    try {
      thread.execute(() -> write(exchange));
    } catch (RejectedExecutionException e) {
      exchange.fail(closedException());
    }
  }

  private void write(Exchange<?> exchange) {
    if (exchange.isDone()) {
      return;
    }
    if (state == State.CLOSED) {
      exchange.fail(closedException());
      return;
    }
    if (state == State.IDLE && transport.nanoTime().getAsLong() - retryAtNanos < 0) {
      exchange.fail(failure(lastFailure));
      return;
    }
    waiting.add(exchange);
    if (state == State.IDLE) {
      connect();
    } else {
      writeWaiting();
    }
  }

  private void writeWaiting() {
    if (state != State.OPEN || channel == null) {
      return;
    }
    long now = transport.nanoTime().getAsLong();
    int limit = pipelined ? PIPELINE_MAX : 1;
    boolean any = false;
    while (written.size() < limit && !waiting.isEmpty()) {
      Exchange<?> exchange = waiting.remove();
      if (!exchange.isDone()) {
        exchange.writtenNanos = now;
        written.add(exchange);
        channel.write(exchange.message).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        any = true;
      }
    }
    if (any) {
      channel.flush();
    }
  }

  private void connect() {
    state = State.CONNECTING;
    ChannelFuture connecting =
        new Bootstrap()
            .group(thread)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .handler(new Pipeline())
            .connect(address);
    Channel connectingChannel = connecting.channel();
    channel = connectingChannel;
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            lost(connectingChannel, reason(done.cause()));
          }
        });
    long millis = hadChannel ? HANDSHAKE_TIMEOUT_MS : transport.links().requestTimeout().toMillis();
    handshakeDeadline =
        thread.schedule(
            () -> lost(connectingChannel, "no handshake within " + millis + " ms"),
            millis,
            TimeUnit.MILLISECONDS);
  }

  private final class Pipeline extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel opening) {
      SSLContext tls = transport.links().tls();
      if (tls != null) {
        opening.pipeline().addLast(new SslHandler(engine(tls, address)));
      }
      opening.pipeline().addLast(new Handshake(NodeConnection.this::opened), new Answers());
    }
  }

  private static SSLEngine engine(SSLContext tls, InetSocketAddress address) {
    SSLEngine engine = tls.createSSLEngine(address.getHostString(), address.getPort());
    engine.setUseClientMode(true);
    SSLParameters checked = engine.getSSLParameters();
    checked.setEndpointIdentificationAlgorithm("HTTPS");
    engine.setSSLParameters(checked);
    return engine;
  }

  private final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
      answered(ctx.channel(), frame);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      lost(ctx.channel(), "connection closed");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      lost(ctx.channel(), reason(cause));
    }
  }

  private static String reason(Throwable failure) {
    Throwable cause =
        failure instanceof DecoderException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return String.valueOf(cause.getMessage());
  }

  private void opened() {
    cancelHandshakeDeadline();
    state = State.OPEN;
    pipelined = false;
    backoffNanos = 0;
    if (hadChannel) {
      transport.listener().reconnected();
    }
    hadChannel = true;
    writeWaiting();
  }

  private void cancelHandshakeDeadline() {
    if (handshakeDeadline != null) {
      handshakeDeadline.cancel(false);
      handshakeDeadline = null;
    }
  }

  /** The connection, open or still opening, is gone or must go. Only its first call counts. */
  private void lost(Channel gone, String reason) {
    if (gone != channel) {
      return;
    }
    channel = null;
    cancelHandshakeDeadline();
    var unused = gone.close();
    boolean wasConnecting = state == State.CONNECTING;
    state = State.IDLE;
    lastFailure = reason;
    transport.listener().failed(node);
    fail(written);
    if (wasConnecting) {
      backoffNanos = Math.min(BACKOFF_NANOS_MAX, Math.max(BACKOFF_NANOS_MIN, 2 * backoffNanos));
      retryAtNanos = transport.nanoTime().getAsLong() + backoffNanos;
      fail(waiting);
    } else if (!waiting.isEmpty()) {
      connect();
    }
  }

  private void fail(ArrayDeque<Exchange<?>> exchanges) {
    // A copy: what fails may be sent again at once.
    List<Exchange<?>> failing = List.copyOf(exchanges);
    exchanges.clear();
    failing.forEach(exchange -> exchange.fail(failure(lastFailure)));
  }

  private void answered(Channel from, ByteBuf frame) {
    Exchange<?> exchange = from == channel ? written.poll() : null;
    if (exchange == null) {
      lost(from, "an answer without a request");
      return;
    }
    try {
      carryAnswer(exchange, frame);
    } catch (IOException | IllegalArgumentException e) {
      exchange.fail(failure("a bad answer: " + e.getMessage()));
      lost(from, "a bad answer: " + e.getMessage());
    }
    writeWaiting();
  }

  private <T> void carryAnswer(Exchange<T> exchange, ByteBuf frame) throws IOException {
    Answer<T> answer = exchange.read(frame);
    int accepts = answer.context() == null ? 0 : answer.context().getAccepts();
    pipelined |= accepts >= ACCEPTS_SEVERAL;
    takesOne = !pipelined;
    acceptsPast = accepts >= ACCEPTS_PAST;
    transport
        .links()
        .model()
        .carry(node, LinkModel.Direction.RESPONSE, () -> receive(exchange, answer));
  }

  /** On any thread: the link model decides. */
  private <T> void receive(Exchange<T> exchange, Answer<T> answer) {
    transport.listener().answered(node, transport.nanoTime().getAsLong() - exchange.startedNanos);
    Session.Verdict verdict;
    try {
      verdict = verdict(exchange, answer);
    } catch (IllegalArgumentException e) {
      exchange.fail(failure("a bad clock in an answer: " + e.getMessage()));
      return;
    }
    switch (verdict) {
      case PAUSED -> exchange.fail(RefusedByFence.paused(fenceEpoch(answer)));
      case EPOCH_OVER -> exchange.fail(RefusedByFence.over());
      case COUNTS -> {
        if (answer.error() == null) {
          exchange.result.complete(answer.body());
        } else {
          exchange.fail(refusal(answer.error()));
        }
      }
    }
  }

  private Session.Verdict verdict(Exchange<?> exchange, Answer<?> answer) {
    return answer.context() == null
        ? Session.Verdict.COUNTS
        : transport.session().observed(exchange.epoch, answer.context());
  }

  private static long fenceEpoch(Answer<?> answer) {
    Pb0.ResponseContext context = answer.context();
    return context == null ? EpochView.UNKNOWN : context.getFence().getEpoch();
  }

  /** What a request fails with that the node refused. */
  RuntimeException refusal(Pb0.Error error) {
    ErrorCode code = ErrorCode.of(error.getErrorCode());
    return code == ErrorCode.OBSOLETE_VERSION
        ? new ObsoleteVersionException(node, error.getErrorMessage())
        : failure(code + ": " + error.getErrorMessage());
  }

  private void failOverdue() {
    long now = transport.nanoTime().getAsLong();
    String reason = "no answer within " + transport.links().requestTimeout().toMillis() + " ms";
    for (Exchange<?> exchange : outstanding) {
      if (isOverdue(exchange.startedNanos, now)) {
        exchange.fail(failure(reason));
        transport.listener().failed(node);
      }
    }
    waiting.removeIf(Exchange::isDone);
    // Given up or not: nothing is written behind it until it is answered.
    Exchange<?> next = written.peek();
    if (next != null && channel != null && isOverdue(next.writtenNanos, now)) {
      lost(channel, reason);
    }
  }

  private boolean isOverdue(long sinceNanos, long now) {
    return now - sinceNanos > transport.links().requestTimeout().toNanos();
  }

  /** Gives up all requests of these epochs, wherever they are, except probes. Thread-safe. */
  void giveUp(LongPredicate epochs) {
    failAll(exchange -> !exchange.probe && epochs.test(exchange.epoch), RefusedByFence::over);
  }

  /** Fails requests wherever they are, also those that a link holds. */
  private void failAll(Predicate<Exchange<?>> which, Supplier<RuntimeException> failure) {
    for (Exchange<?> exchange : outstanding) {
      if (which.test(exchange)) {
        exchange.fail(failure.get());
      }
    }
  }

  /** Fails everything under way. Thread-safe, does not wait. */
  void close() {
    closed = true;
    failAll(exchange -> true, NodeConnection::closedException);
    sweep.cancel(false);
    thread.execute(
        () -> {
          state = State.CLOSED;
          Channel closing = channel;
          channel = null;
          if (closing != null) {
            var unused = closing.close();
          }
        });
  }

  private static StoreException closedException() {
    return new StoreException("the client is closed");
  }
}
