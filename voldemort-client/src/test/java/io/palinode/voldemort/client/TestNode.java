package io.palinode.voldemort.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcClock;
import io.palinode.hvc.HvcCodec;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A node in memory behind a real socket, with the faults that tests ask for. It follows the
 * contract of a node: requests of another epoch, and all while paused, meet a fence; answers come
 * in order. Everything is under its monitor.
 */
public final class TestNode implements AutoCloseable {
  private final int id;
  private final Map<String, String> metadata;
  private final Set<String> stores;
  private final HvcClock clock;
  private final NioEventLoopGroup threads;
  private final List<Channel> connections = new ArrayList<>();
  private @Nullable Channel server;
  private int port;

  private final Map<String, Map<ByteString, List<Versioned>>> data = new HashMap<>();
  private final ArrayDeque<Undo> undoLog = new ArrayDeque<>();
  private final List<Pb0.VoldemortRequest> received = new ArrayList<>();
  private final ArrayDeque<Runnable> held = new ArrayDeque<>();
  private final Set<Channel> waiting = new HashSet<>();
  private boolean holding;
  private boolean stock;
  private boolean oneAtATime;
  private int accepts = 2;
  private boolean garbage;
  private int accepted;
  private boolean stopped;

  private long epoch;
  private boolean paused;
  private boolean fencingMetadata;
  private Predicate<String> standing = client -> false;
  private @Nullable Long target;
  private long sequentialUntilMicros;
  private List<Pb0.SequentialKeys> sequentialKeys = List.of();
  private long safePoint;

  private record Undo(
      long hlc, Map<ByteString, List<Versioned>> store, ByteString key, List<Versioned> before) {}

  TestNode(int id, int nodes, Map<String, String> metadata, Set<String> stores) {
    this.id = id;
    this.metadata = metadata;
    this.stores = stores;
    this.clock =
        new HvcClock(
            id,
            nodes,
            Epsilon.INFINITE,
            () -> System.currentTimeMillis() * 1_000,
            HvcClock.MAX_DRIFT_DEFAULT);
    this.threads = new NioEventLoopGroup(1, new DefaultThreadFactory("test-node-" + id, true));
    start();
  }

  /** Listens; on the same port as before. */
  void start() {
    synchronized (this) {
      stopped = false;
    }
    Channel listening =
        new ServerBootstrap()
            .group(threads)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new ServerHandshake());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .syncUninterruptibly()
            .channel();
    synchronized (this) {
      server = listening;
      port = ((InetSocketAddress) listening.localAddress()).getPort();
    }
  }

  public synchronized int port() {
    return port;
  }

  /** Closes the port and all connections; what it stores stays. */
  void stop() {
    List<Channel> closing;
    synchronized (this) {
      stopped = true;
      closing = new ArrayList<>(connections);
      connections.clear();
      if (server != null) {
        closing.add(server);
      }
    }
    closing.forEach(channel -> channel.close().syncUninterruptibly());
  }

  private final class ServerHandshake extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      synchronized (TestNode.this) {
        if (stopped) {
          // It was being accepted when the node stopped.
          var unused = ctx.close();
          return;
        }
        connections.add(ctx.channel());
        accepted++;
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object read) {
      ByteBuf protocol = (ByteBuf) read;
      protocol.release();
      ctx.pipeline().addLast(Frames.encoder(), Frames.decoder(), new Requests());
      ctx.pipeline().remove(this);
      var unused = ctx.channel().writeAndFlush(Unpooled.wrappedBuffer(Frames.accepted()));
    }
  }

  private final class Requests extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) throws IOException {
      Pb0.VoldemortRequest request = Frames.parse(frame, Pb0.VoldemortRequest.parser());
      synchronized (TestNode.this) {
        if ((stock || oneAtATime) && holding && !waiting.add(ctx.channel())) {
          var unused =
              ctx.close(); // a second request before the answer to the first: a stock node hangs
          return;
        }
        Runnable work = () -> answer(ctx, request);
        if (holding) {
          held.add(work);
        } else {
          work.run();
        }
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      var unused = ctx.close();
    }
  }

  private void answer(ChannelHandlerContext ctx, Pb0.VoldemortRequest request) {
    received.add(request);
    Object response =
        garbage ? Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 1, -1}) : respond(request);
    // Never at once: what another thread wrote before must stay before.
    ctx.executor()
        .execute(
            () -> {
              var unused = ctx.channel().writeAndFlush(response);
            });
  }

  private MessageLite respond(Pb0.VoldemortRequest request) {
    boolean isMetadata = request.getStore().equals("metadata");
    if (!stock && isFenced(request) && (!isMetadata || fencingMetadata)) {
      String client = request.getPalinode().getClient();
      return refusal(request, null, context(clock.tick()).setFence(fence(client)));
    }
    if (isMetadata) {
      return metadataResponse(request);
    }
    if (request.getType() == Pb0.RequestType.PAST && !oneAtATime && accepts == 2) {
      Pb0.ReachResponse reach =
          Pb0.ReachResponse.newBuilder().setFromHlc(1).setToHlc(2).setBytes(3).build();
      return Pb0.PastResponse.newBuilder()
          .setReach(reach)
          .setPalinode(context(clock.tick()))
          .build();
    }
    if (!stores.contains(request.getStore())) {
      return refusal(
          request,
          ErrorCode.VOLDEMORT.toProto("Unknown store: " + request.getStore()),
          context(clock.tick()));
    }
    Hvc now =
        request.getPalinode().hasHvc()
            ? clock.tick(HvcCodec.decode(request.getPalinode().getHvc().toByteArray()))
            : clock.tick();
    return execute(request, now);
  }

  private boolean isFenced(Pb0.VoldemortRequest request) {
    boolean otherEpoch =
        request.getPalinode().hasEpoch() && request.getPalinode().getEpoch() != epoch;
    return paused || otherEpoch;
  }

  private Pb0.Fence fence(String client) {
    Pb0.Fence.Builder fence = Pb0.Fence.newBuilder().setEpoch(epoch).setPaused(paused);
    if (standing.test(client) && !paused) {
      fence.setStands(true);
    }
    if (target != null) {
      fence.setTarget(target);
    }
    return fence
        .setSequentialUntilMicros(sequentialUntilMicros)
        .addAllSequentialKeys(sequentialKeys)
        .build();
  }

  private Pb0.ResponseContext.Builder context(Hvc now) {
    return Pb0.ResponseContext.newBuilder()
        .setHvc(ByteString.copyFrom(HvcCodec.encode(now)))
        .setEpoch(epoch)
        .setAccepts(oneAtATime ? 0 : accepts)
        .addAllSequentialKeys(sequentialKeys)
        .setSafePoint(safePoint);
  }

  private MessageLite metadataResponse(Pb0.VoldemortRequest request) {
    String value = metadata.get(request.getGet().getKey().toStringUtf8());
    Pb0.GetResponse.Builder response = Pb0.GetResponse.newBuilder();
    if (!stock) {
      response.setPalinode(context(clock.tick()));
    }
    return value == null
        ? response.setError(ErrorCode.STORE_NOT_FOUND.toProto("no such metadata")).build()
        : response.addVersioned(Versioned.ofText(value, VectorClock.EMPTY).toProto()).build();
  }

  private MessageLite execute(Pb0.VoldemortRequest request, Hvc now) {
    Map<ByteString, List<Versioned>> store =
        data.computeIfAbsent(request.getStore(), name -> new HashMap<>());
    return switch (request.getType()) {
      case GET -> {
        Pb0.GetResponse.Builder response = Pb0.GetResponse.newBuilder();
        boolean origins = request.getGet().getOrigins() && !stock;
        stored(store, request.getGet().getKey())
            .forEach(
                version ->
                    response.addVersioned(
                        origins ? version.toProtoWithOrigin() : version.toProto()));
        yield stock ? response.build() : response.setPalinode(context(now)).build();
      }
      case GET_VERSION -> {
        Pb0.GetVersionResponse.Builder response = Pb0.GetVersionResponse.newBuilder();
        stored(store, request.getGet().getKey())
            .forEach(version -> response.addVersions(version.clock().toProto()));
        yield stock ? response.build() : response.setPalinode(context(now)).build();
      }
      case PUT -> put(request, store, now);
      case DELETE -> delete(request, store, now);
      case GET_ALL, PAST -> throw new IllegalStateException("the client does not send this here");
    };
  }

  private static List<Versioned> stored(Map<ByteString, List<Versioned>> store, ByteString key) {
    return store.getOrDefault(key, List.of());
  }

  private MessageLite put(
      Pb0.VoldemortRequest request, Map<ByteString, List<Versioned>> store, Hvc now) {
    ByteString key = request.getPut().getKey();
    List<Versioned> before = stored(store, key);
    Versioned put = Versioned.fromProto(request.getPut().getVersioned());
    List<Versioned> after = Siblings.put(before, put.withOrigin(origin(request.getPalinode())));
    if (after == null) {
      return refusal(request, ErrorCode.OBSOLETE_VERSION.toProto("obsolete"), context(now));
    }
    undoLog.add(new Undo(now.own(), store, key, before));
    store.put(key, after);
    Pb0.PutResponse.Builder response = Pb0.PutResponse.newBuilder();
    return stock
        ? response.build()
        : response.setPalinode(context(now).setAcceptedAt(now.own())).build();
  }

  private @Nullable Integer origin(Pb0.RequestContext context) {
    if (context.hasOrigin()) {
      return context.getOrigin();
    }
    return context.hasReadAt() ? null : Integer.valueOf(id);
  }

  private MessageLite delete(
      Pb0.VoldemortRequest request, Map<ByteString, List<Versioned>> store, Hvc now) {
    ByteString key = request.getDelete().getKey();
    List<Versioned> before = stored(store, key);
    List<Versioned> after =
        Siblings.delete(before, VectorClock.fromProto(request.getDelete().getVersion()));
    undoLog.add(new Undo(now.own(), store, key, before));
    store.put(key, after);
    Pb0.DeleteResponse.Builder response =
        Pb0.DeleteResponse.newBuilder().setSuccess(after.size() < before.size());
    return stock
        ? response.build()
        : response.setPalinode(context(now).setAcceptedAt(now.own())).build();
  }

  private MessageLite refusal(
      Pb0.VoldemortRequest request,
      Pb0.@Nullable Error error,
      Pb0.ResponseContext.Builder context) {
    Pb0.Error shown = error == null ? ErrorCode.VOLDEMORT.toProto("fenced") : error;
    return switch (request.getType()) {
      case GET -> {
        Pb0.GetResponse.Builder response = Pb0.GetResponse.newBuilder().setError(shown);
        yield stock ? response.build() : response.setPalinode(context).build();
      }
      case GET_VERSION -> {
        Pb0.GetVersionResponse.Builder response =
            Pb0.GetVersionResponse.newBuilder().setError(shown);
        yield stock ? response.build() : response.setPalinode(context).build();
      }
      case PUT -> {
        Pb0.PutResponse.Builder response = Pb0.PutResponse.newBuilder().setError(shown);
        yield stock ? response.build() : response.setPalinode(context).build();
      }
      case DELETE -> {
        Pb0.DeleteResponse.Builder response =
            Pb0.DeleteResponse.newBuilder().setSuccess(false).setError(shown);
        yield stock ? response.build() : response.setPalinode(context).build();
      }
      case GET_ALL, PAST -> throw new IllegalStateException("the client does not send this here");
    };
  }

  // Methods for tests

  /** Takes requests, but does nothing about them until {@link #release}. */
  public synchronized void hold() {
    holding = true;
  }

  public synchronized void release() {
    holding = false;
    waiting.clear();
    while (!held.isEmpty()) {
      held.remove().run();
    }
  }

  /** Serves the held requests, and holds later ones. */
  public synchronized void releaseHeld() {
    release();
    hold();
  }

  public synchronized int heldCount() {
    return held.size();
  }

  /** Answers like a stock node, without clocks and epochs. */
  synchronized void beStock() {
    stock = true;
    oneAtATime = true;
  }

  /** Answers like a stock node with the agent: with a context, and one request at a time. */
  public synchronized void beAgent() {
    oneAtATime = true;
  }

  /** Answers like a node of ours that knows no questions about its past. */
  synchronized void beOfAnEarlierRelease() {
    accepts = 1;
  }

  synchronized void answerGarbage(boolean on) {
    garbage = on;
  }

  /** From now on its fences report that no write of the client was undone. */
  void letAllStand() {
    letAllStandFor(client -> true);
  }

  synchronized void letAllStandFor(Predicate<String> clients) {
    standing = clients;
  }

  synchronized void fenceMetadata() {
    fencingMetadata = true;
  }

  synchronized void pause(long newEpoch) {
    epoch = newEpoch;
    paused = true;
    target = null;
  }

  /** Names the target and undoes the writes after it. */
  synchronized void restore(long newTarget) {
    target = newTarget;
    while (!undoLog.isEmpty() && undoLog.getLast().hlc() > newTarget) {
      Undo undo = undoLog.removeLast();
      undo.store().put(undo.key(), undo.before());
    }
  }

  synchronized void resume(long newSequentialUntilMicros) {
    sequentialUntilMicros = newSequentialUntilMicros;
    paused = false;
  }

  /** Also to clients that come without an epoch. */
  synchronized void sequential(long untilMicros, String key) {
    sequentialKeys =
        List.of(
            Pb0.SequentialKeys.newBuilder()
                .setUntilMicros(untilMicros)
                .addKeys(ByteString.copyFromUtf8(key))
                .build());
  }

  synchronized void safePoint(long hlc) {
    safePoint = hlc;
  }

  synchronized void seed(String store, String key, List<Versioned> versions) {
    data.computeIfAbsent(store, name -> new HashMap<>())
        .put(ByteString.copyFromUtf8(key), List.copyOf(versions));
  }

  synchronized List<Versioned> stored(String store, String key) {
    return stored(data.getOrDefault(store, Map.of()), ByteString.copyFromUtf8(key));
  }

  /** In the order in which they were worked on. */
  synchronized List<Pb0.VoldemortRequest> received(Pb0.RequestType type) {
    return received.stream()
        .filter(r -> r.getType() == type && !r.getStore().equals("metadata"))
        .toList();
  }

  /** Of all requests, also for metadata, in the order in which they were worked on. */
  synchronized List<Pb0.RequestType> receivedTypes() {
    return received.stream().map(Pb0.VoldemortRequest::getType).toList();
  }

  public synchronized int connectionsAccepted() {
    return accepted;
  }

  /** HLC of its latest event. */
  long now() {
    return clock.last().own();
  }

  @Override
  public void close() {
    stop();
    threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  int id() {
    return id;
  }
}
