package io.palinode.launcher;

import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.detector.kafka.NodeDetectorConfig;
import io.palinode.hvc.Epsilon;
import io.palinode.launcher.embedded.EmbeddedFlink;
import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.monitor.flink.job.DetectionJobConfig;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A Kafka broker and the detection job on a Flink cluster, in this process. */
public final class DetectionPlane implements AutoCloseable {
  /** The job has one subtask here, and every node publishes progress to every partition. */
  private static final int CANDIDATE_PARTITIONS = 1;

  private final Parts parts = new Parts();
  private final String kafkaAddress;
  private @Nullable RestartableJob job;

  private DetectionPlane(EmbeddedKafka kafka) {
    parts.started(kafka);
    this.kafkaAddress = kafka.bootstrapServers();
  }

  /**
   * Starts both on {@code data}; what an earlier run left there is taken up.
   *
   * @param meters gets what the job counts
   */
  public static DetectionPlane start(
      Path data,
      int nodes,
      Epsilon epsilon,
      DetectionSettings detection,
      int kafkaPort,
      MeterRegistry meters)
      throws IOException {
    DetectionPlane plane =
        new DetectionPlane(EmbeddedKafka.start(data.resolve("kafka"), kafkaPort));
    try {
      KafkaSettings settings = plane.kafka();
      try (TopicsAdmin topics = new TopicsAdmin(settings, Topics.DEFAULT)) {
        topics.createAbsent(TopicLayout.DEFAULT.withCandidatePartitions(CANDIDATE_PARTITIONS));
      }
      DetectionJobConfig config =
          DetectionJobConfig.of(settings, Topics.DEFAULT, nodes, epsilon).withDetection(detection);
      plane.job =
          plane.parts.started(
              new RestartableJob(() -> EmbeddedFlink.start(data.resolve("flink"), config, meters)));
      return plane;
    } catch (IOException | RuntimeException e) {
      plane.close();
      throw e;
    }
  }

  /** Creates the topics of alerts that are absent. */
  void createTopics(List<String> ofAlerts) {
    try (TopicsAdmin topics = new TopicsAdmin(kafka(), Topics.DEFAULT)) {
      ofAlerts.forEach(topics::requireForAlerts);
    }
  }

  /** {@code host:port}. */
  public String kafkaAddress() {
    return kafkaAddress;
  }

  /** How everything but the nodes' candidates is written and read there. */
  public KafkaSettings kafka() {
    return KafkaSettings.of(kafkaAddress);
  }

  RestartableJob job() {
    return Objects.requireNonNull(job, "the job is not started");
  }

  /** How a store node joins. */
  public NodeDetectorConfig watch() {
    return NodeDetectorConfig.of(kafkaAddress, Topics.DEFAULT)
        .withStartTimeout(ControlPlane.START_MAX);
  }

  @Override
  public void close() {
    parts.close();
  }
}
