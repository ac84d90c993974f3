package io.palinode.agent.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.Fence;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** A node that fences as ours do, and remembers what it served. */
final class StandInNode implements UnaryOperator<byte[]> {
  /** A request and what rode along; empty where nothing did. */
  record Received(String request, List<RequestContext> along) {}

  private static final int FIELD = 1000;
  private static final int REFUSED = 7;
  static final long TARGET = 4_096_000_000L;

  final List<Received> served = new CopyOnWriteArrayList<>();
  final AtomicInteger refused = new AtomicInteger();
  private final int id;
  private final boolean stock;
  private final AtomicLong epoch = new AtomicLong();
  private volatile boolean paused;
  private volatile int resumesAfter = Integer.MAX_VALUE;

  /**
   * @param stock knows nothing of us
   */
  StandInNode(int id, boolean stock) {
    this.id = id;
    this.stock = stock;
  }

  /** Pauses, until it has refused so many requests. */
  void pause(int refusals) {
    epoch.incrementAndGet();
    resumesAfter = refused.get() + refusals;
    paused = true;
  }

  void rollBack() {
    epoch.incrementAndGet();
  }

  /** Of the new epoch as {@link #rollBack}, but does not serve it yet. */
  void lag() {
    epoch.incrementAndGet();
    resumesAfter = Integer.MAX_VALUE;
    paused = true;
  }

  Received last() {
    return served.get(served.size() - 1);
  }

  @Override
  public byte[] apply(byte[] request) {
    try {
      return answer(ByteBuffer.wrap(request));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private byte[] answer(ByteBuffer frame) throws InvalidProtocolBufferException {
    if (frame.getInt() != frame.remaining()) {
      throw new AssertionError("a frame of another length");
    }
    Pb0.Error request = Pb0.Error.parseFrom(frame);
    List<RequestContext> along =
        request.getUnknownFields().getField(FIELD).getLengthDelimitedList().stream()
            .map(StandInNode::context)
            .toList();
    Pb0.Error.Builder answer = Pb0.Error.newBuilder().setErrorCode(0).setErrorMessage("v");
    if (!along.isEmpty() && !stock) {
      ResponseContext context = context(request.getErrorMessage(), along.get(0));
      if (context.hasFence()) {
        answer.setErrorCode(REFUSED).setErrorMessage("fenced");
      }
      answer.setUnknownFields(carrying(context));
    }
    if (answer.getErrorCode() == 0) {
      served.add(new Received(request.getErrorMessage(), along));
    }
    byte[] bytes = answer.build().toByteArray();
    return ByteBuffer.allocate(Integer.BYTES + bytes.length)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  private static RequestContext context(ByteString bytes) {
    try {
      return RequestContext.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static UnknownFieldSet carrying(ResponseContext context) {
    UnknownFieldSet.Field field =
        UnknownFieldSet.Field.newBuilder().addLengthDelimited(context.toByteString()).build();
    return UnknownFieldSet.newBuilder().addField(FIELD, field).build();
  }

  private ResponseContext context(String request, RequestContext asks) {
    ResponseContext.Builder context = ResponseContext.newBuilder().setEpoch(epoch.get());
    context.setHvc(
        ByteString.copyFrom(HvcCodec.encode(Hvc.of(id, 10L * (served.size() + 1), 10, 10))));
    if (asks.hasEpoch() && (paused || asks.getEpoch() < epoch.get())) {
      paused &= refused.incrementAndGet() < resumesAfter;
      Fence.Builder fence = Fence.newBuilder().setEpoch(epoch.get()).setPaused(paused);
      return context.setFence(paused ? fence : fence.setTarget(TARGET)).build();
    }
    return request.startsWith("put") ? context.setAcceptedAt(10).build() : context.build();
  }
}
