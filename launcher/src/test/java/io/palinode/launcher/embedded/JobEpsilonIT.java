package io.palinode.launcher.embedded;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.monitor.flink.job.DetectionJob;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.NodeReport;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The job as a Flink cluster starts it. */
@Timeout(120)
class JobEpsilonIT {
  /** So that the report counts for as long as the job looks. */
  private static final Duration LATER = Duration.ofMinutes(1);

  @TempDir private Path folder;

  @Test
  void theJobIsNotSubmittedWithAnotherEpsilonThanThatOfANode() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, EmbeddedKafka.ANY_PORT)) {
      KafkaSettings settings = KafkaSettings.of(kafka.bootstrapServers());
      try (TopicsAdmin topics = new TopicsAdmin(settings, Topics.DEFAULT)) {
        topics.createAbsent(TopicLayout.DEFAULT);
      }
      report(settings, NodeReport.newBuilder().setNode(2).setEpsilonMicros(5_000).build());
      assertThatThrownBy(
              () ->
                  DetectionJob.main(
                      new String[] {
                        "--bootstrap-servers", kafka.bootstrapServers(),
                        "--nodes", "3",
                        "--epsilon", "10ms"
                      }))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "--epsilon is 10ms, but others run with another one: node 2 at 5ms;"
                  + " give the job the one of the nodes");
    }
  }

  private static void report(KafkaSettings settings, NodeReport report) throws Exception {
    ControlRecord record = ControlRecord.newBuilder().setNodeReport(report).build();
    long at = System.currentTimeMillis() + LATER.toMillis();
    try (Producer<byte[], byte[]> producer = settings.newProducer("test")) {
      byte[] key = {1};
      producer
          .send(new ProducerRecord<>(Topics.DEFAULT.control(), 0, at, key, record.toByteArray()))
          .get();
    }
  }
}
