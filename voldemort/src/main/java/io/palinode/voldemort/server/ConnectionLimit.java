package io.palinode.voldemort.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the connections of a server, in all and of one address. At a limit, the connection that
 * has been idle longest is closed for a new one. Without an idle one, the new one is closed: the
 * protocols can refuse a protocol, but not a connection.
 *
 * <p>Decides in the accepting thread: the disk may delay those that run requests. Thread-safe.
 */
final class ConnectionLimit extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(ConnectionLimit.class);
  private static final long LOG_NANOS_MIN = TimeUnit.SECONDS.toNanos(10);

  private final ServerConfig.Connections limits;
  private final NodeCounters counters;

  /** All that are open, also those that end for others. */
  private final ChannelGroup open;

  private final Map<Channel, InetAddress> counted = new HashMap<>();
  private final Map<InetAddress, Integer> ofAddress = new HashMap<>();

  /** Idle longest first. */
  private final Map<Channel, InetAddress> idle = new LinkedHashMap<>();

  private long loggedNanos = System.nanoTime() - LOG_NANOS_MIN;

  /**
   * @param open receives the admitted connections
   */
  ConnectionLimit(ServerConfig.Connections limits, NodeCounters counters, ChannelGroup open) {
    this.limits = limits;
    this.counters = counters;
    this.open = open;
  }

  /** For the pipeline of each connection: finds out when it is idle. */
  IdleStateHandler idleness() {
    return new Idleness();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object accepted) {
    Channel channel = (Channel) accepted;
    InetAddress address = ((InetSocketAddress) channel.remoteAddress()).getAddress();
    if (!admit(channel, address)) {
      counters.add(NodeCounter.CONNECTIONS_REFUSED);
      channel.unsafe().closeForcibly();
      return;
    }
    open.add(channel);
    channel.closeFuture().addListener(closed -> remove(channel));
    ctx.fireChannelRead(channel);
  }

  private synchronized boolean admit(Channel channel, InetAddress address) {
    int others = ofAddress.getOrDefault(address, 0);
    if (others >= limits.perAddressMax() ? !closeIdle(address) : isFull() && !closeIdle(null)) {
      logRefusal(address, others);
      return false;
    }
    counted.put(channel, address);
    ofAddress.merge(address, 1, Integer::sum);
    return true;
  }

  private boolean isFull() {
    return counted.size() >= limits.max();
  }

  /** Of {@code address}; null: of any. False if none is idle. */
  private boolean closeIdle(@Nullable InetAddress address) {
    Iterator<Map.Entry<Channel, InetAddress>> longestFirst = idle.entrySet().iterator();
    while (longestFirst.hasNext()) {
      Map.Entry<Channel, InetAddress> next = longestFirst.next();
      if (address == null || address.equals(next.getValue())) {
        remove(next.getKey());
        counters.add(NodeCounter.CONNECTIONS_CLOSED_IDLE);
        var unused = next.getKey().close();
        return true;
      }
    }
    return false;
  }

  private synchronized void remove(Channel channel) {
    idle.remove(channel);
    InetAddress address = counted.remove(channel);
    if (address != null) {
      ofAddress.computeIfPresent(address, (any, count) -> count == 1 ? null : count - 1);
    }
  }

  private synchronized void rests(Channel channel) {
    InetAddress address = counted.get(channel);
    if (address != null) {
      idle.putIfAbsent(channel, address);
    }
  }

  private synchronized void works(Channel channel) {
    idle.remove(channel);
  }

  private void logRefusal(InetAddress address, int others) {
    long now = System.nanoTime();
    if (now - loggedNanos >= LOG_NANOS_MIN) {
      loggedNanos = now;
      log.warn(
          "address={} connections={} of_address={} refused: none is idle; the limits are {} and {}",
          address.getHostAddress(),
          counted.size(),
          others,
          limits.max(),
          limits.perAddressMax());
    }
  }

  private final class Idleness extends IdleStateHandler {
    private boolean isIdle;

    Idleness() {
      super(limits.idleAfter().toNanos(), 0, 0, TimeUnit.NANOSECONDS);
    }

    /** Again after each such time without a byte. */
    @Override
    protected void channelIdle(ChannelHandlerContext ctx, IdleStateEvent event) {
      InFlightLimit requests = ctx.pipeline().get(InFlightLimit.class);
      if (!isIdle && (requests == null || requests.isIdle())) {
        isIdle = true;
        rests(ctx.channel());
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) throws Exception {
      if (isIdle) {
        isIdle = false;
        works(ctx.channel());
      }
      super.channelRead(ctx, bytes);
    }
  }
}
