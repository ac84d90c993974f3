package io.palinode.wire;

import io.palinode.wire.TopicsAdmin.BrokerDisks.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Creates and describes Palinode's topics. Each call waits at most 30 s for an answer, unless
 * another limit is given, and throws {@link KafkaException} that names the topic when Kafka refuses
 * or does not answer. Thread-safe.
 */
public final class TopicsAdmin implements AutoCloseable {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
  private static final long RETRY_MS = 20;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

  private final Admin admin;
  private final Topics topics;
  private final Duration answerMax;

  public TopicsAdmin(KafkaSettings settings, Topics topics) {
    this(settings, topics, ANSWER_MAX);
  }

  public TopicsAdmin(KafkaSettings settings, Topics topics, Duration answerMax) {
    this.answerMax = answerMax;
    this.admin = settings.newAdmin(topics.prefix() + "-topics");
    this.topics = topics;
  }

  /**
   * Creates the topics that are absent, and returns when they are found; with all there, this needs
   * no right but to describe them. A topic that exists is left as it is, except that one of another
   * kind than the code relies on (a second partition of an ordered log) is refused.
   */
  public void createAbsent(TopicLayout layout) {
    List<NewTopic> absent = new ArrayList<>();
    for (NewTopic topic : layout.topics(topics)) {
      try {
        requireOrdered(topic.name());
      } catch (UnknownTopicOrPartitionException e) {
        absent.add(topic);
      }
    }
    Map<String, KafkaFuture<Void>> results = admin.createTopics(absent).values();
    for (NewTopic topic : absent) {
      try {
        await(topic.name(), results.get(topic.name()));
      } catch (TopicExistsException e) {
        // Another part has just created it.
      }
      awaitOrdered(topic.name());
    }
  }

  /** A broker learns of a topic some time after the controller has created it. */
  private void awaitOrdered(String topic) {
    long started = System.nanoTime();
    while (true) {
      try {
        requireOrdered(topic);
        return;
      } catch (UnknownTopicOrPartitionException e) {
        if (System.nanoTime() - started > answerMax.toNanos()) {
          throw e;
        }
      }
      pause(topic);
    }
  }

  /**
   * Creates the topic of a destination of alerts if it is absent, as the brokers' defaults are.
   * Throws {@link IllegalArgumentException} if this user may not create it, or not write to it.
   */
  public void requireForAlerts(String topic) {
    try {
      if (!mayWrite(topic)) {
        throw new IllegalArgumentException(mayNot("write to this topic", topic));
      }
    } catch (UnknownTopicOrPartitionException absent) {
      createForAlerts(topic);
    } catch (KafkaException e) {
      throw isRefusal(e)
          ? new IllegalArgumentException(mayNot("write to this topic", topic), e)
          : e;
    }
  }

  /** Without an authorizer, each user may do all. */
  private boolean mayWrite(String topic) {
    Set<AclOperation> allowed =
        await(
                topic,
                admin
                    .describeTopics(
                        List.of(topic),
                        new DescribeTopicsOptions().includeAuthorizedOperations(true))
                    .topicNameValues()
                    .get(topic))
            .authorizedOperations();
    return allowed == null || allowed.contains(AclOperation.WRITE);
  }

  private void createForAlerts(String topic) {
    NewTopic absent = new NewTopic(topic, Optional.empty(), Optional.empty());
    try {
      await(topic, admin.createTopics(List.of(absent)).values().get(topic));
    } catch (TopicExistsException now) {
      // Another orchestrator has just created it.
    } catch (KafkaException e) {
      throw isRefusal(e)
          ? new IllegalArgumentException(
              mayNot("create this topic, which does not exist", topic), e)
          : e;
    }
  }

  private static boolean isRefusal(KafkaException e) {
    return e.getCause() instanceof AuthorizationException;
  }

  private static String mayNot(String what, String topic) {
    return "--alert kafka:%s: the user of Kafka may not %s; see 'palinode kafka acls --alert-topic %s'"
        .formatted(topic, what, topic);
  }

  /** The number of partitions that the candidates' topic really has. */
  public int candidatePartitions() {
    return partitions(topics.candidates());
  }

  /** The numbers of the brokers. */
  public List<Integer> brokers() {
    return await("brokers", admin.describeCluster().nodes()).stream().map(Node::id).toList();
  }

  /** What one broker reports of its disks. */
  public record BrokerDisks(int broker, Answer answer, long freeBytesMin) {
    /** Whether the broker reports them. */
    public enum Answer {
      KNOWN,
      /** The broker reports no sizes, as before Kafka 3.3. */
      WITHOUT_SIZES,
      /** This principal may not read them. */
      REFUSED,
      /** There was no answer within the limit, or an error. */
      ABSENT
    }
  }

  /** The disks of each broker. All of them have the time of one answer. */
  public List<BrokerDisks> disks(List<Integer> brokers) {
    return disks(admin.describeLogDirs(brokers).descriptions(), answerMax);
  }

  static List<BrokerDisks> disks(
      Map<Integer, KafkaFuture<Map<String, LogDirDescription>>> answers, Duration max) {
    long deadline = System.nanoTime() + max.toNanos();
    List<BrokerDisks> all = new ArrayList<>();
    for (Map.Entry<Integer, KafkaFuture<Map<String, LogDirDescription>>> each :
        new TreeMap<>(answers).entrySet()) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      all.add(disks(each.getKey(), each.getValue(), left));
    }
    return all;
  }

  private static BrokerDisks disks(
      int broker, KafkaFuture<Map<String, LogDirDescription>> answer, Duration max) {
    try {
      OptionalLong free =
          await("log folders", answer, max).values().stream()
              .flatMapToLong(folder -> folder.usableBytes().stream())
              .min();
      return free.isPresent()
          ? new BrokerDisks(broker, Answer.KNOWN, free.getAsLong())
          : new BrokerDisks(broker, Answer.WITHOUT_SIZES, 0);
    } catch (KafkaException e) {
      return new BrokerDisks(broker, isRefusal(e) ? Answer.REFUSED : Answer.ABSENT, 0);
    }
  }

  /** The topics that exist, in the order of {@link Topics#all}. */
  public List<TopicState> states() {
    List<TopicState> states = new ArrayList<>();
    for (String topic : topics.all()) {
      try {
        states.add(
            state(
                await(topic, admin.describeTopics(List.of(topic)).topicNameValues().get(topic)),
                settings(topic)));
      } catch (UnknownTopicOrPartitionException absent) {
        // The caller compares with all names.
      }
    }
    return states;
  }

  private static TopicState state(TopicDescription topic, Map<String, String> settings) {
    List<TopicPartitionInfo> partitions = topic.partitions();
    return new TopicState(
        topic.name(),
        partitions.size(),
        partitions.stream().mapToInt(one -> one.replicas().size()).min().orElse(0),
        (int) partitions.stream().filter(one -> one.leader() == null).count(),
        (int) partitions.stream().filter(one -> one.isr().size() < one.replicas().size()).count(),
        settings);
  }

  /** Empty if this principal may not read them. */
  private Map<String, String> settings(String topic) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try {
      Map<String, String> settings = new HashMap<>();
      await(topic, admin.describeConfigs(List.of(resource)).values().get(resource))
          .entries()
          .forEach(entry -> settings.put(entry.name(), String.valueOf(entry.value())));
      return settings;
    } catch (KafkaException refused) {
      if (refused.getCause() instanceof AuthorizationException) {
        return Map.of();
      }
      throw refused;
    }
  }

  @Override
  public void close() {
    admin.close(CLOSE_MAX);
  }

  private void requireOrdered(String topic) {
    int partitions = partitions(topic);
    if (partitions != 1 && !topic.equals(topics.candidates())) {
      throw new KafkaException(
          "a log with a total order has one partition: topic="
              + topic
              + " partitions="
              + partitions);
    }
  }

  private static void pause(String topic) {
    try {
      TimeUnit.MILLISECONDS.sleep(RETRY_MS);
    } catch (InterruptedException e) {
      throw interrupted(topic, e);
    }
  }

  private static KafkaException interrupted(String topic, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new KafkaException("interrupted while waiting for Kafka: topic=" + topic, e);
  }

  private int partitions(String topic) {
    TopicDescription description =
        await(topic, admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
    return description.partitions().size();
  }

  private <T> T await(String topic, @Nullable KafkaFuture<T> answer) {
    return await(topic, answer, answerMax);
  }

  private static <T> T await(String topic, @Nullable KafkaFuture<T> answer, Duration max) {
    if (answer == null) {
      throw new KafkaException("Kafka did not answer for a topic: topic=" + topic);
    }
    try {
      return answer.get(max.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException exists) {
        throw exists;
      }
      if (e.getCause() instanceof UnknownTopicOrPartitionException unknown) {
        throw new UnknownTopicOrPartitionException(
            "the topic must exist: topic=" + topic + "; an orchestrator or a job creates it",
            unknown);
      }
      throw new KafkaException("Kafka refused: topic=" + topic + ": " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new KafkaException(
          "Kafka did not answer within " + max.toSeconds() + " s: topic=" + topic, e);
    } catch (InterruptedException e) {
      throw interrupted(topic, e);
    }
  }
}
