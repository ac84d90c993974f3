package io.palinode.cli.bench.stock;

import io.palinode.launcher.embedded.EmbeddedKafka;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.io.IOException;
import java.nio.file.Path;

/** The Kafka of a benchmark. */
final class BenchKafka {
  private BenchKafka() {}

  /**
   * Starts one with Palinode's topics.
   *
   * @param data where it makes a folder
   */
  static EmbeddedKafka start(Path data) throws IOException {
    EmbeddedKafka kafka = EmbeddedKafka.start(data.resolve("kafka"), EmbeddedKafka.ANY_PORT);
    try (TopicsAdmin topics =
        new TopicsAdmin(KafkaSettings.of(kafka.bootstrapServers()), Topics.DEFAULT)) {
      topics.createAbsent(TopicLayout.DEFAULT);
      return kafka;
    } catch (RuntimeException e) {
      kafka.close();
      throw e;
    }
  }
}
