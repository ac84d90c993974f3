package io.palinode.voldemort.server;

import com.google.protobuf.ByteString;
import io.palinode.detector.ConcernedClients;
import io.palinode.detector.MissedEpochs;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.FenceState;
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
 * What rides along with requests and responses, between its bytes and its meaning. Thread-safe;
 * needs no socket, so it serves in another server too.
 */
public final class Contexts {
  private final StoreNode node;
  private final boolean takesSeveral;

  /** For another server, which takes one request at a time. */
  public Contexts(StoreNode node) {
    this(node, false);
  }

  /**
   * @param takesSeveral whether requests may follow each other without waiting for answers
   */
  Contexts(StoreNode node, boolean takesSeveral) {
    this.node = node;
    this.takesSeveral = takesSeveral;
  }

  Caller caller(VoldemortRequest request) throws RefusedException {
    return request.hasPalinode() ? caller(request.getPalinode()) : Caller.STOCK;
  }

  /** Who sent it; refused when it cannot be of this cluster. */
  public Caller caller(RequestContext context) throws RefusedException {
    requireNode("origin", context.getOrigin());
    requireNode("read_at", context.getReadAt());
    int idLength = context.getClient().length();
    if (idLength > Frames.CLIENT_ID_MAX) {
      throw node.refuse(
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

  private void requireNode(String what, int told) throws RefusedException {
    if (told < 0 || told >= node.nodes()) {
      throw node.refuse(
          ErrorCode.VOLDEMORT,
          "%s must be one of %d nodes: %s=%d".formatted(what, node.nodes(), what, told));
    }
  }

  /**
   * @param knowsEpoch whether the request told an epoch; who does not is told what a fence would
   *     say
   */
  public ResponseContext of(Reply<?> reply, boolean knowsEpoch) {
    ResponseContext.Builder context = at(reply.hvc(), reply.epoch());
    if (!knowsEpoch) {
      tellEpoch(context);
    }
    if (reply.acceptedAt() != 0) {
      context.setAcceptedAt(reply.acceptedAt());
    }
    return context.build();
  }

  /** Its client has met no fence, and will not before the next rollback. */
  private void tellEpoch(ResponseContext.Builder context) {
    FenceState fence = node.fence();
    if (fence.paused()) {
      // That epoch has not begun, and what it will ask of clients is not known.
      context.clearEpoch();
    }
    if (fence.sequentialUntilMicros() != 0) {
      context.setSequentialUntilMicros(fence.sequentialUntilMicros());
    }
    context.addAllSequentialKeys(sequentialKeys());
  }

  /**
   * For a request that was refused or failed; its fence is what the client is to know.
   *
   * @param epoch of the request; null: it told none, and from whatever comes first, a client learns
   *     of its epoch
   */
  public ResponseContext of(RefusedException refused, String client, @Nullable Long epoch) {
    ResponseContext.Builder context = at(node.lastReading(), node.fence().epoch());
    if (epoch == null) {
      tellEpoch(context);
    }
    FenceState fence = refused.fence();
    if (fence != null) {
      Fence.Builder told = toProto(fence);
      if (epoch != null && !fence.paused()) {
        tellWhatStands(told, fence.missed().concerned().standsTo(client, epoch, fence.epoch()));
      }
      context.setFence(told);
    }
    return context.build();
  }

  /** For a client that only some of the rollbacks concern that it has missed, or none. */
  private static void tellWhatStands(Fence.Builder fence, @Nullable Long standsTo) {
    if (standsTo != null && standsTo == ConcernedClients.ALL_STANDS) {
      fence.setStands(true);
    } else if (standsTo != null) {
      fence.setTarget(standsTo);
    }
  }

  private ResponseContext.Builder at(Hvc hvc, long epoch) {
    ResponseContext.Builder context = ResponseContext.newBuilder().setEpoch(epoch);
    if (takesSeveral) {
      context.setTakesSeveral(true);
    }
    if (hvc.owner() != Hvc.NO_OWNER) {
      context.setHvc(ByteString.copyFrom(HvcCodec.encode(hvc)));
    }
    // Read first, then compared: a safe point of a later epoch says nothing about this one's
    // writes.
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
      throw node.refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    }
  }
}
