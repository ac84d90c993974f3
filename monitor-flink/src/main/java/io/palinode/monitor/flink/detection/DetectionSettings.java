package io.palinode.monitor.flink.detection;

import io.palinode.detection.DetectionLimits;
import java.io.Serializable;
import java.time.Duration;

/**
 * The limits of detection. Beyond a limit there is a coverage gap that names it.
 *
 * @param limits of one instance
 * @param instancesMax instances of one predicate that a subtask keeps; further ones are not judged
 * @param heapShareMax of the heap that may be in use after a collection; above it, no further
 *     interval is kept
 * @param phantomsShadowed whether to count phantoms for predicates with {@code replicas: first}
 *     too; doubles the work of detection
 * @param skipAfter how long judgement waits for a silent node, at least {@link #SKIP_AFTER_MIN};
 *     zero: for ever
 */
public record DetectionSettings(
    DetectionLimits limits,
    int instancesMax,
    double heapShareMax,
    boolean phantomsShadowed,
    Duration skipAfter)
    implements Serializable {
  /** One in which something happens takes some 10 kB: together half of a heap of 2 GB. */
  public static final int INSTANCES_MAX_DEFAULT = 100_000;

  public static final double HEAP_SHARE_MAX_DEFAULT = 0.85;

  public static final Duration SKIP_AFTER_DEFAULT = Duration.ofMinutes(5);
  public static final Duration SKIP_AFTER_MIN = Duration.ofSeconds(10);

  public static final DetectionSettings DEFAULT =
      new DetectionSettings(
          DetectionLimits.DEFAULT, INSTANCES_MAX_DEFAULT, false, SKIP_AFTER_DEFAULT);

  private static final long serialVersionUID = 1L;

  /** With the default share of the heap. */
  public DetectionSettings(
      DetectionLimits limits, int instancesMax, boolean phantomsShadowed, Duration skipAfter) {
    this(limits, instancesMax, HEAP_SHARE_MAX_DEFAULT, phantomsShadowed, skipAfter);
  }

  public DetectionSettings {
    if (instancesMax < 1) {
      throw new IllegalArgumentException(
          "instancesMax must be positive: instancesMax=" + instancesMax);
    }
    if (!skipAfter.isZero() && skipAfter.compareTo(SKIP_AFTER_MIN) < 0) {
      throw new IllegalArgumentException(
          "skipAfter must be 0 or at least 10 s: skipAfter=" + skipAfter);
    }
  }

  public DetectionSettings withLimits(DetectionLimits other) {
    return new DetectionSettings(other, instancesMax, heapShareMax, phantomsShadowed, skipAfter);
  }

  public DetectionSettings withInstancesMax(int max) {
    return new DetectionSettings(limits, max, heapShareMax, phantomsShadowed, skipAfter);
  }

  DetectionSettings withHeapShareMax(double max) {
    return new DetectionSettings(limits, instancesMax, max, phantomsShadowed, skipAfter);
  }

  public DetectionSettings withPhantomsShadowed(boolean shadowed) {
    return new DetectionSettings(limits, instancesMax, heapShareMax, shadowed, skipAfter);
  }

  public DetectionSettings withSkipAfter(Duration after) {
    return new DetectionSettings(limits, instancesMax, heapShareMax, phantomsShadowed, after);
  }
}
