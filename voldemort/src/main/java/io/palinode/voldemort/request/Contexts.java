package io.palinode.voldemort.request;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.store.binding.ConcernedClients;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.order.FenceState;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.Fence;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the contexts of requests, and builds those of responses. Thread-safe; needs no socket, so
 * another server can use it.
 */
public final class Contexts {
  /** The value of a response's {@code accepts}: several requests, and questions about the past. */
  private static final int ACCEPTS = 2;

  private final StoreNode node;
  private final boolean isOurs;

  /** For another server, which takes one request at a time per connection. */
  public Contexts(StoreNode node) {
    this(node, false);
  }

  /**
   * @param isOurs whether a client may send requests without waiting for responses, and questions
   *     about the past
   */
  Contexts(StoreNode node, boolean isOurs) {
    this.node = node;
    this.isOurs = isOurs;
  }

  Caller caller(VoldemortRequest request) throws RefusedException {
    return request.hasPalinode() ? caller(request.getPalinode()) : Caller.STOCK;
  }

  /** The client of a request. Refused if it cannot belong to this cluster. */
  public Caller caller(RequestContext context) throws RefusedException {
    requireNode("origin", context.getOrigin());
    requireNode("read_at", context.getReadAt());
    int idLength = context.getClient().length();
    if (idLength > Frames.CLIENT_ID_MAX) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT,
              "a client's id must be at most %d characters: length=%d"
                  .formatted(Frames.CLIENT_ID_MAX, idLength));
    }
    return new Caller(
        context.hasHvc() ? hvc(context.getHvc()) : null,
        context.hasEpoch() ? context.getEpoch() : null,
        context.getClient(),
        context.hasOrigin() ? Integer.valueOf(context.getOrigin()) : null,
        context.hasReadAt() ? Integer.valueOf(context.getReadAt()) : null);
  }

  private void requireNode(String what, int named) throws RefusedException {
    if (named < 0 || named >= node.nodes()) {
      throw node.admission()
          .refuse(
              ErrorCode.VOLDEMORT,
              "%s must be one of %d nodes: %s=%d".formatted(what, node.nodes(), what, named));
    }
  }

  /**
   * @param knowsEpoch whether the request had an epoch; if not, the response has the content of a
   *     fence
   */
  public ResponseContext of(Reply<?> reply, boolean knowsEpoch) {
    ResponseContext.Builder context = at(reply.hvc(), reply.epoch());
    if (!knowsEpoch) {
      addEpoch(context);
    }
    if (reply.acceptedAt() != 0) {
      context.setAcceptedAt(reply.acceptedAt());
    }
    return context.build();
  }

  /** For a client without an epoch: it meets no fence before the next rollback. */
  private void addEpoch(ResponseContext.Builder context) {
    FenceState fence = node.fence();
    if (fence.paused()) {
      // That epoch has not begun; what it asks of clients is unknown.
      context.clearEpoch();
    }
    if (fence.sequentialUntilMicros() != 0) {
      context.setSequentialUntilMicros(fence.sequentialUntilMicros());
    }
    context.addAllSequentialKeys(sequentialKeys());
  }

  /**
   * The context of a refusal, with its fence.
   *
   * @param epoch of the request; null if it had none: then its first response names the epoch
   */
  public ResponseContext of(RefusedException refused, String client, @Nullable Long epoch) {
    ResponseContext.Builder context = at(node.lastReading(), node.fence().epoch());
    if (epoch == null) {
      addEpoch(context);
    }
    FenceState fence = refused.fence();
    if (fence != null) {
      Fence.Builder proto = toProto(fence);
      if (epoch != null && !fence.paused()) {
        addStanding(proto, fence.missed().concerned().standsTo(client, epoch, fence.epoch()));
      }
      context.setFence(proto);
    }
    return context.build();
  }

  /** For a client that is concerned by some of its missed rollbacks, or by none. */
  private static void addStanding(Fence.Builder fence, @Nullable Long standsTo) {
    if (standsTo != null && standsTo == ConcernedClients.ALL_STANDS) {
      fence.setStands(true);
    } else if (standsTo != null) {
      fence.setTarget(standsTo);
    }
  }

  private ResponseContext.Builder at(Hvc hvc, long epoch) {
    ResponseContext.Builder context = ResponseContext.newBuilder().setEpoch(epoch);
    if (isOurs) {
      context.setAccepts(ACCEPTS);
    }
    if (hvc.owner() != Hvc.NO_OWNER) {
      context.setHvc(ByteString.copyFrom(HvcCodec.encode(hvc)));
    }
    // Read it before the epoch: a safe point of a later epoch does not cover this one's writes.
    long safePoint = node.safePoint();
    return node.fence().epoch() == epoch ? context.setSafePoint(safePoint) : context;
  }

  private Fence.Builder toProto(FenceState fence) {
    Fence.Builder proto = Fence.newBuilder().setEpoch(fence.epoch()).setPaused(fence.paused());
    Long target = fence.target();
    if (target != null) {
      proto.setTarget(target);
    }
    if (fence.sequentialUntilMicros() != 0) {
      proto.setSequentialUntilMicros(fence.sequentialUntilMicros());
    }
    MissedEpochs missed = fence.missed();
    if (missed.restartEpoch() != 0) {
      proto.setRestartEpoch(missed.restartEpoch());
    }
    if (missed.deepEpoch() != 0) {
      proto.setDeepEpoch(missed.deepEpoch()).setDeepTarget(missed.deepTarget());
    }
    if (!fence.paused()) {
      proto.addAllSequentialKeys(sequentialKeys());
    }
    return proto;
  }

  private List<Pb0.SequentialKeys> sequentialKeys() {
    return node.sequential().stream()
        .map(
            span ->
                Pb0.SequentialKeys.newBuilder()
                    .setUntilMicros(span.untilMicros())
                    .addAllKeys(span.keys())
                    .build())
        .toList();
  }

  private Hvc hvc(ByteString bytes) throws RefusedException {
    try {
      return HvcCodec.decode(bytes.toByteArray());
    } catch (IllegalArgumentException e) {
      throw node.admission().refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }
}
