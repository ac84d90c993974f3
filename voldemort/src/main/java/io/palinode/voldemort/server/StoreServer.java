package io.palinode.voldemort.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.tls.ServerTls;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.access.NodeTls;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.request.Pb0Requests;
import io.palinode.voldemort.request.Routing;
import io.palinode.voldemort.request.StoreRequests;
import io.palinode.voldemort.request.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of a node. A few threads share the connections; each runs its connections' requests,
 * since a hand-over would cost as much as a request. Long requests run in other threads ({@link
 * BulkRequests}, {@link Routing}).
 */
final class StoreServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StoreServer.class);
  private static final int BACKLOG = 512;
  private static final long QUIET_MS = 20;

  private final StoreNode node;
  private final ServerConfig config;
  private final Pb0Requests requests;
  private final VpRequests vpRequests;
  private final EventLoopGroup accepting;
  private final EventLoopGroup workers;
  private final BulkRequests bulk;
  private final Routing routing;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final ConnectionLimit connectionLimit;
  private final FrameBudget frames;
  private final AnswerBudget answers;
  private final Channel listener;

  private StoreServer(StoreNode node, LocalSnapshots snapshots, ServerConfig config) {
    this.node = node;
    this.config = config;
    NodeTls tls = config.tls();
    this.routing = new Routing(node, tls == null ? null : tls.tls());
    StoreRequests shared = new StoreRequests(node).withRouting(routing);
    this.requests = new Pb0Requests(node, shared, snapshots, tls == null ? null : tls.copies());
    this.vpRequests = new VpRequests(node, shared);
    String name = "store-node-" + node.node();
    this.accepting = new NioEventLoopGroup(1, new DefaultThreadFactory(name + "-accept", true));
    this.workers =
        new NioEventLoopGroup(
            config.limits().requestThreads(), new DefaultThreadFactory(name + "-requests", true));
    this.bulk = new BulkRequests(name + "-bulk", config.closeTimeout());
    this.connectionLimit =
        new ConnectionLimit(config.limits().connections(), node.counters(), connections);
    this.frames = new FrameBudget(config.limits().requestBytesMax());
    this.answers = new AnswerBudget(config.limits().requestBytesMax());
    this.listener = bind();
  }

  /** Throws {@link ListenException} if another program listens at the address. */
  static void requireFree(ServerConfig config) {
    try (Socket probe = new Socket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(config.host(), config.port()));
    } catch (IOException taken) {
      throw new ListenException(config.host(), config.port(), taken);
    }
  }

  /** Listens and serves. Throws {@link ListenException}. */
  static StoreServer start(StoreNode node, LocalSnapshots snapshots, ServerConfig config) {
    StoreServer server = new StoreServer(node, snapshots, config);
    log.info("node={} phase=LISTENING host={} port={}", node.node(), config.host(), server.port());
    return server;
  }

  int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /**
   * Accepts no connection, answers the requests in flight, and closes all connections. Returns
   * within about four times the close timeout.
   */
  @Override
  public void close() {
    long timeoutMs = config.closeTimeout().toMillis();
    listener.close().awaitUninterruptibly(timeoutMs);
    for (Channel connection : connections) {
      connection.pipeline().fireUserEventTriggered(InFlightLimit.DRAIN);
    }
    if (!connections.newCloseFuture().awaitUninterruptibly(timeoutMs)) {
      log.warn("node={} connections={} cut off", node.node(), connections.size());
      connections.close().awaitUninterruptibly(timeoutMs);
    }
    stopThreads();
    if (config.tls() != null) {
      config.tls().close();
    }
  }

  private Channel bind() {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(accepting, workers)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            // Detects clients whose machine is gone, and frees their connections.
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .handler(connectionLimit)
            .childHandler(new Connection())
            .bind(config.host(), config.port())
            .awaitUninterruptibly();
    Throwable cause = bound.cause();
    if (cause != null) {
      stopThreads();
      throw new ListenException(config.host(), config.port(), cause);
    }
    return bound.channel();
  }

  private void stopThreads() {
    long timeoutMs = config.closeTimeout().toMillis();
    routing.close();
    bulk.close();
    accepting
        .shutdownGracefully(0, timeoutMs, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(timeoutMs);
    // The last accepted connections still register there: wait for a quiet period.
    workers
        .shutdownGracefully(QUIET_MS, timeoutMs, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(timeoutMs);
  }

  /** The handlers of a connection, from the socket inwards. */
  private final class Connection extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      channel.pipeline().addLast(connectionLimit.idleness());
      NodeTls tls = config.tls();
      if (tls != null) {
        channel.pipeline().addLast(handler(tls.tls()));
      }
      channel
          .pipeline()
          .addLast(
              new Handshake(
                  StoreServer.this::addHandlers, config.handshakeTimeout(), node.counters()));
    }
  }

  private SslHandler handler(ServerTls tls) {
    SslHandler handler = new SslHandler(tls.engine());
    handler.setHandshakeTimeoutMillis(config.handshakeTimeout().toMillis());
    return handler;
  }

  private boolean addHandlers(ChannelHandlerContext ctx, String protocol) {
    FrameBudget.Share share = frames.share();
    Supplier<StoreUser> user = user(ctx.pipeline());
    if (protocol.equals(Frames.PROTOCOL)) {
      addFrames(ctx, new RequestEnd.OfPb0(), share)
          .addLast(Frames.encoder())
          .addLast(new RequestHandler(requests, bulk, routing, share, node.counters(), user));
      return true;
    }
    VpVersion version = VpVersion.named(protocol);
    if (version == null) {
      return false;
    }
    addFrames(ctx, new RequestEnd.OfVp(version), share)
        .addLast(new VpRequestHandler(vpRequests, routing, share, version, node.counters(), user));
    return true;
  }

  /** The client of a connection, after its TLS handshake. */
  private Supplier<StoreUser> user(ChannelPipeline connection) {
    NodeTls tls = config.tls();
    SslHandler handler = connection.get(SslHandler.class);
    return tls == null || handler == null
        ? () -> StoreUser.ANY
        : tls.client(handler.engine().getSession())::user;
  }

  private ChannelPipeline addFrames(
      ChannelHandlerContext ctx, RequestEnd end, FrameBudget.Share share) {
    return ctx.pipeline()
        .addLast(new UnreadAnswers(config.requestTimeout(), answers, node.counters()))
        .addLast(new RequestFrames(end, share, config.requestTimeout(), node.counters()))
        .addLast(new InFlightLimit(config.limits().inFlightMax(), share, node.counters()));
  }
}
