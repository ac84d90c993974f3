package io.palinode.voldemort;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.store.binding.ConcernedClients;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.order.FenceState;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.Fence;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the contexts of a node's responses: its clock, epoch, safe point and fence. For the node
 * of any store. Thread-safe.
 */
public final class ResponseContexts {
  /** A client may send requests without waiting for responses. */
  public static final int SEVERAL_REQUESTS = 1;

  /** A client may also send questions about the past. */
  public static final int PAST_QUESTIONS = 2;

  private final NodeBinding node;
  private final int accepts;

  /**
   * @param accepts one of the constants; 0: a client waits for each response
   */
  public ResponseContexts(NodeBinding node, int accepts) {
    this.node = node;
    this.accepts = accepts;
  }

  /**
   * The context of a request that was served.
   *
   * @param reading of the node's clock; of no owner if the node keeps no past
   * @param epoch in which the request was served
   * @param acceptedAt the HLC of an accepted write, else 0
   * @param knowsEpoch whether the request had an epoch; if not, the response has the content of a
   *     fence
   */
  public ResponseContext served(Hvc reading, long epoch, long acceptedAt, boolean knowsEpoch) {
    ResponseContext.Builder context = at(reading, epoch);
    if (!knowsEpoch) {
      addEpoch(context);
    }
    if (acceptedAt != 0) {
      context.setAcceptedAt(acceptedAt);
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
   * The context of a refusal.
   *
   * @param fence that refused the request; null if another cause did
   * @param epoch of the request; null if it had none: then its first response names the epoch
   */
  public ResponseContext refused(
      Hvc reading, @Nullable FenceState fence, String client, @Nullable Long epoch) {
    ResponseContext.Builder context = at(reading, node.fence().epoch());
    if (epoch == null) {
      addEpoch(context);
    }
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
    if (accepts > 0) {
      context.setAccepts(accepts);
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
}
