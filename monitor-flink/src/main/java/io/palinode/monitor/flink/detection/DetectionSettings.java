package io.palinode.monitor.flink.detection;

import io.palinode.detection.DetectionLimits;
import java.io.Serializable;

/**
 * The limits of detection. An event beyond a limit causes a coverage gap that names the limit.
 *
 * @param limits of one instance
 * @param instancesMax instances of one predicate that a subtask keeps; further ones are not judged
 * @param phantomsShadowed whether to count phantoms for predicates with {@code replicas: first}
 *     too; doubles the work of detection
 */
public record DetectionSettings(DetectionLimits limits, int instancesMax, boolean phantomsShadowed)
    implements Serializable {
  /** One in which something happens takes some 10 kB: together half of a heap of 2 GB. */
  public static final int INSTANCES_MAX_DEFAULT = 100_000;

  public static final DetectionSettings DEFAULT =
      new DetectionSettings(DetectionLimits.DEFAULT, INSTANCES_MAX_DEFAULT, false);

  private static final long serialVersionUID = 1L;

  public DetectionSettings {
    if (instancesMax < 1) {
      throw new IllegalArgumentException(
          "instancesMax must be positive: instancesMax=" + instancesMax);
    }
  }

  public DetectionSettings withLimits(DetectionLimits other) {
    return new DetectionSettings(other, instancesMax, phantomsShadowed);
  }

  public DetectionSettings withInstancesMax(int max) {
    return new DetectionSettings(limits, max, phantomsShadowed);
  }

  public DetectionSettings withPhantomsShadowed(boolean shadowed) {
    return new DetectionSettings(limits, instancesMax, shadowed);
  }
}
