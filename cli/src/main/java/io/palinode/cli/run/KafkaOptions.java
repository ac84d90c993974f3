package io.palinode.cli.run;

import io.palinode.cli.options.KafkaAddress;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.StartProgress;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.RetriableException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the logs are; a picocli mixin. */
final class KafkaOptions {
  private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(8);

  @Mixin private KafkaAddress address = new KafkaAddress();

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

  /**
   * The settings, once the topics are there, and those of {@code alertTopics}. Waits for Kafka
   * without a limit, and reports that to {@code say}. Throws {@link Outage} when Kafka refuses.
   */
  @SuppressWarnings("try") // A resource for its close alone.
  KafkaSettings connected(Consumer<String> say, List<String> alertTopics)
      throws InterruptedException {
    KafkaSettings settings = address.settings();
    try (StartProgress progress =
        StartProgress.of("waiting for Kafka at " + address.bootstrap(), say)) {
      for (Duration pause = PAUSE_MIN; ; pause = longer(pause)) {
        try {
          createTopics(settings, alertTopics);
          return settings;
        } catch (IllegalArgumentException e) {
          throw new Refusal(String.valueOf(e.getMessage()), e);
        } catch (KafkaException e) {
          throwUnlessSilent(e);
        }
        Thread.sleep(pause.toMillis());
      }
    }
  }

  private static Duration longer(Duration pause) {
    return pause.compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : pause;
  }

  private void throwUnlessSilent(KafkaException e) {
    String reason = "--kafka=" + address.bootstrap() + ": " + e.getMessage();
    if (e instanceof ConfigException || e.getCause() instanceof ConfigException) {
      throw new Refusal(reason, e);
    }
    if (!isSilent(e)) {
      throw new Outage(reason, e);
    }
  }

  private static boolean isSilent(KafkaException e) {
    return e.getCause() instanceof RetriableException
        || e.getCause() instanceof TimeoutException
        || e.getCause() instanceof InterruptedException;
  }

  private void createTopics(KafkaSettings settings, List<String> alertTopics) {
    TopicLayout layout = TopicLayout.DEFAULT.withCandidatePartitions(partitions);
    try (TopicsAdmin topics = new TopicsAdmin(settings, Topics.DEFAULT)) {
      topics.createAbsent(layout.withReplication(replication));
      alertTopics.forEach(topics::requireForAlerts);
    }
  }
}
