package io.palinode.benchmarks.online;

import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.hvc.Epsilon;
import io.palinode.wire.KafkaSettings;

/**
 * Where the detection job runs, for {@link #NODES} nodes.
 *
 * @param watch how nodes are watched there
 * @param kafka how the orchestrator reads and writes
 * @param epsilon the job's
 */
public record Cluster(NodeDetectorConfig watch, KafkaSettings kafka, Epsilon epsilon) {
  public static final int NODES = 3;
}
