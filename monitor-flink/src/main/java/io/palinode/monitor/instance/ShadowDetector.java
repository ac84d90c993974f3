package io.palinode.monitor.instance;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.detection.stream.InstanceDetector;
import io.palinode.monitor.Restart;
import io.palinode.predicate.ReplicaRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code replicas: any} would report of an instance whose predicate joins replicas. Costs as
 * much as the instance's own detection. Not thread-safe.
 */
final class ShadowDetector {
  private final DetectionSpec any;
  private final DetectionLimits limits;
  private @Nullable InstanceDetector live;
  private byte[] packed = {};

  ShadowDetector(DetectionSpec spec, DetectionLimits limits) {
    this.any = new DetectionSpec(spec.nodes(), spec.clauses(), spec.causality(), ReplicaRule.ANY);
    this.limits = limits;
    this.live = InstanceDetector.create(any, limits);
  }

  private ShadowDetector(ShadowDetector other) {
    this.any = other.any;
    this.limits = other.limits;
    this.packed = other.bytes();
  }

  /** Another one in the same state, packed. */
  ShadowDetector copy() {
    return new ShadowDetector(this);
  }

  /** Makes it small, until it is used again. */
  void pack() {
    packed = bytes();
    live = null;
  }

  List<Witness> apply(Change change) {
    return change.opens()
        ? live().opened(change.candidate())
        : live().closed(change.candidate(), change.endedBy(), change.endOrigin());
  }

  List<Witness> progress(long watermark) {
    return live().progress(watermark);
  }

  List<Witness> restarted(Restart restart) {
    return live().restarted(restart.node(), restart.incarnation(), restart.first());
  }

  long wakeAt() {
    return live().wakeAt();
  }

  boolean isEmpty() {
    return live().isEmpty();
  }

  private byte[] bytes() {
    return live == null ? packed : live.toBytes();
  }

  private InstanceDetector live() {
    InstanceDetector detector = live;
    if (detector == null) {
      detector = InstanceDetector.restore(any, limits, packed);
      live = detector;
      packed = new byte[0];
    }
    return detector;
  }
}
