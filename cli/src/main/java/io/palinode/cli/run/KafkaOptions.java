package io.palinode.cli.run;

import io.palinode.terminal.Outage;
import io.palinode.terminal.Refusal;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import picocli.CommandLine.Option;

/** Where the logs are; a picocli mixin. */
final class KafkaOptions {
  @Option(
      names = "--kafka",
      required = true,
      paramLabel = "HOST:PORT,...",
      description = "Brokers of Kafka.")
  private String bootstrap = "";

  @Option(
      names = "--candidate-partitions",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "If the topics do not exist: partitions of the candidates topic, which the subtasks of"
              + " the detection job share (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--replication",
      defaultValue = "1",
      paramLabel = "N",
      description =
          "If the topics do not exist: copies that Kafka keeps of each topic (default:"
              + " ${DEFAULT-VALUE}).")
  private short replication;

  String bootstrap() {
    return bootstrap;
  }

  /** The settings, once the topics are there. Throws {@link Outage} when Kafka does not answer. */
  KafkaSettings connected() {
    try {
      TopicLayout layout = TopicLayout.DEFAULT.withCandidatePartitions(partitions);
      KafkaSettings settings = KafkaSettings.of(bootstrap);
      try (TopicsAdmin topics = new TopicsAdmin(settings, Topics.DEFAULT)) {
        topics.createAbsent(layout.withReplication(replication));
      }
      return settings;
    } catch (IllegalArgumentException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    } catch (KafkaException e) {
      boolean isWrong = e instanceof ConfigException || e.getCause() instanceof ConfigException;
      String reason = "--kafka=" + bootstrap + ": " + e.getMessage();
      throw isWrong ? new Refusal(reason, e) : new Outage(reason, e);
    }
  }
}
