package io.palinode.monitor.flink.job;

import io.palinode.hvc.Epsilon;
import io.palinode.hvc.Hvc;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.time.Duration;

/**
 * @param nodes of the store's cluster; all of them must write progress before anything is judged
 * @param epsilon for predicates that name none
 * @param open what other machines may do at the job's process without proof, in one sentence;
 *     empty: nothing
 */
public record DetectionJobConfig(
    KafkaSettings kafka,
    Topics topics,
    int nodes,
    Epsilon epsilon,
    Execution execution,
    DetectionSettings detection,
    String open) {

  /**
   * How Flink runs the job.
   *
   * @param parallelism of the candidates' source and of detection; at most the topic's partitions,
   *     as a subtask without a partition would hold every watermark back
   */
  public record Execution(int parallelism, Duration checkpointInterval) {
    /** One subtask: on few cores the least latency. */
    public static final Execution DEFAULT = new Execution(1, Duration.ofSeconds(10));

    public Execution {
      if (parallelism < 1) {
        throw new IllegalArgumentException(
            "parallelism must be at least 1: parallelism=" + parallelism);
      }
      if (checkpointInterval.toMillis() < 1) {
        throw new IllegalArgumentException(
            "checkpointInterval must be at least 1 ms: checkpointInterval=" + checkpointInterval);
      }
    }
  }

  public DetectionJobConfig {
    if (nodes < 1 || nodes > Hvc.NODES_MAX) {
      throw new IllegalArgumentException(
          "nodes must be in [1, " + Hvc.NODES_MAX + "]: nodes=" + nodes);
    }
  }

  public DetectionJobConfig withDetection(DetectionSettings other) {
    return new DetectionJobConfig(kafka, topics, nodes, epsilon, execution, other, open);
  }

  public DetectionJobConfig withOpen(String other) {
    return new DetectionJobConfig(kafka, topics, nodes, epsilon, execution, detection, other);
  }

  public static DetectionJobConfig of(
      KafkaSettings kafka, Topics topics, int nodes, Epsilon epsilon) {
    return new DetectionJobConfig(
        kafka, topics, nodes, epsilon, Execution.DEFAULT, DetectionSettings.DEFAULT, "");
  }
}
