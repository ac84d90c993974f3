package io.palinode.monitor.flink.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.detection.DetectionLimits;
import io.palinode.hvc.Epsilon;
import io.palinode.monitor.flink.detection.DetectionSettings;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.time.Duration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class DetectionJobTest {
  private static final DetectionJobConfig CONFIG =
      DetectionJobConfig.of(
          KafkaSettings.of("localhost:1"), Topics.DEFAULT, 3, Epsilon.ofMicros(10));

  @Test
  void everyOperatorHasAnIdByWhichItsStateIsFound() {
    StreamGraph graph = graph();
    assertThat(graph.getStreamNodes())
        .filteredOn(node -> !node.getOperatorName().contains(": "))
        .extracting(StreamNode::getTransformationUID)
        .doesNotContainNull();
  }

  @Test
  void nothingWaitsInABufferAndNothingGoesThroughKryo() {
    StreamExecutionEnvironment env = new StreamExecutionEnvironment();
    DetectionJob.build(env, CONFIG);
    assertThat(env.getBufferTimeout()).isZero();
    assertThat(env.getConfig().isObjectReuseEnabled()).isTrue();
    assertThat(env.getConfig().getSerializerConfig().hasGenericTypesDisabled()).isTrue();
    assertThat(env.getCheckpointConfig().getCheckpointInterval()).isEqualTo(10_000);
  }

  @Test
  void theWriterOfTheOnePartitionIsOneSubtask() {
    assertThat(graph().getStreamNodes())
        .filteredOn(node -> node.getOperatorName().startsWith("judged"))
        .singleElement()
        .satisfies(node -> assertThat(node.getParallelism()).isOne());
  }

  /** Flink sends it to its tasks. */
  @Test
  void theMakerOfWatermarksIsSerializable() throws Exception {
    assertThat(InstantiationUtil.serializeObject(DetectionJob.watermarks(3, Duration.ofMinutes(5))))
        .isNotEmpty();
  }

  @Test
  void optionsAreRead() {
    DetectionJobConfig config =
        DetectionJob.parse(
            new String[] {
              "--bootstrap-servers", "a:1,b:2", "--nodes", "5", "--epsilon", "2ms",
              "--prefix", "other", "--parallelism", "2", "--checkpoint-interval-ms", "500",
              "--intervals-max", "10", "--reports-max", "11", "--search-steps-max", "12",
              "--instances-max", "13", "--count-phantoms", "--skip-after-ms", "14000"
            });
    assertThat(config.kafka().bootstrapServers()).isEqualTo("a:1,b:2");
    assertThat(config.topics()).isEqualTo(new Topics("other"));
    assertThat(config.nodes()).isEqualTo(5);
    assertThat(config.epsilon()).isEqualTo(Epsilon.ofMicros(2_000));
    assertThat(config.execution().parallelism()).isEqualTo(2);
    assertThat(config.execution().checkpointInterval()).isEqualTo(Duration.ofMillis(500));
    assertThat(config.detection())
        .isEqualTo(
            new DetectionSettings(
                new DetectionLimits(10, 11, 12), 13, true, Duration.ofSeconds(14)));
  }

  @Test
  void badOptionsAreRefusedWithTheRuleAndTheValue() {
    assertThatThrownBy(() -> DetectionJob.parse(new String[] {"--nods", "5"}))
        .hasMessageContaining("--nods")
        .hasMessageContaining("bootstrap-servers");
    assertThatThrownBy(() -> DetectionJob.parse(new String[] {"--nodes", "5"}))
        .hasMessageContaining("bootstrap-servers");
    assertThatThrownBy(
            () ->
                DetectionJob.parse(
                    new String[] {
                      "--bootstrap-servers", "a:1", "--nodes", "0", "--epsilon", "2ms"
                    }))
        .hasMessageContaining("[1, 4096]: nodes=0");
    assertThatThrownBy(
            () ->
                DetectionJob.parse(
                    new String[] {
                      "--bootstrap-servers",
                      "a:1",
                      "--nodes",
                      "1",
                      "--epsilon",
                      "2ms",
                      "--instances-max",
                      "0"
                    }))
        .hasMessageContaining("instancesMax=0");
  }

  private static StreamGraph graph() {
    StreamExecutionEnvironment env = new StreamExecutionEnvironment();
    DetectionJob.build(env, CONFIG);
    return env.getStreamGraph();
  }
}
