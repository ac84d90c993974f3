package io.palinode.simulation.store;

import com.google.protobuf.ByteString;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.store.binding.ConcernedClients;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.order.FenceState;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a node answers of its clock, its epoch and its fence, as a client's session reads it. */
final class ResponseContexts {
  private final NodeBinding node;

  ResponseContexts(NodeBinding node) {
    this.node = node;
  }

  /**
   * @param acceptedAt the HLC of an accepted write, else 0
   */
  ResponseContext served(Hvc reading, long acceptedAt, RequestContext by) {
    ResponseContext.Builder context = at(reading, by);
    return (acceptedAt == 0 ? context : context.setAcceptedAt(acceptedAt)).build();
  }

  /**
   * @param fence that refused it; null if another cause did
   */
  ResponseContext refused(Hvc reading, @Nullable FenceState fence, RequestContext by) {
    ResponseContext.Builder context = at(reading, by);
    if (fence != null) {
      Pb0.Fence.Builder proto = fence(fence);
      Long stands =
          by.hasEpoch() && !fence.paused()
              ? fence.missed().concerned().standsTo(by.getClient(), by.getEpoch(), fence.epoch())
              : null;
      if (stands != null && stands == ConcernedClients.ALL_STANDS) {
        proto.setStands(true);
      } else if (stands != null) {
        proto.setTarget(stands);
      }
      context.setFence(proto);
    }
    return context.build();
  }

  private ResponseContext.Builder at(Hvc reading, RequestContext by) {
    ResponseContext.Builder context =
        ResponseContext.newBuilder()
            .setEpoch(node.fence().epoch())
            .setHvc(ByteString.copyFrom(HvcCodec.encode(reading)))
            .setAccepts(1)
            .setSafePoint(node.safePoint());
    if (!by.hasEpoch()) {
      FenceState fence = node.fence();
      if (fence.paused()) {
        context.clearEpoch();
      }
      context.setSequentialUntilMicros(fence.sequentialUntilMicros());
      context.addAllSequentialKeys(sequentialKeys());
    }
    return context;
  }

  private Pb0.Fence.Builder fence(FenceState fence) {
    Pb0.Fence.Builder proto =
        Pb0.Fence.newBuilder().setEpoch(fence.epoch()).setPaused(fence.paused());
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
