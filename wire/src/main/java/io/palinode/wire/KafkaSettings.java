package io.palinode.wire;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * How every part of Palinode talks to Kafka: bytes in and out, in order, with the least delay.
 *
 * @param bootstrapServers {@code host:port} pairs separated by commas
 * @param lingerMs how long a producer waits for company for a record: 0 for the least delay, 1 for
 *     half the CPU from some 10 000 records a second on (Kafka's own default of 5 costs 3 ms)
 */
public record KafkaSettings(String bootstrapServers, int lingerMs, KafkaSecurity security) {
  private static final int HEARTBEATS_PER_SESSION = 6;
  private static final int LINGER_MS_MAX = 1_000;

  /** A request takes one batch of a partition. This is more than several nodes send at once. */
  private static final int BATCH_BYTES = 256 << 10;

  private static final int MAX_BLOCK_MS = 10_000;
  private static final int REQUEST_TIMEOUT_MS = 30_000;
  private static final int RECONNECT_BACKOFF_MS_MAX = 1_000;

  public KafkaSettings {
    if (bootstrapServers.isBlank()) {
      throw new IllegalArgumentException(
          "bootstrap servers must be host:port pairs: '" + bootstrapServers + "'");
    }
    if (lingerMs < 0 || lingerMs > LINGER_MS_MAX) {
      throw new IllegalArgumentException(
          "lingerMs must be in [0, " + LINGER_MS_MAX + "]: lingerMs=" + lingerMs);
    }
  }

  /** With the least delay. */
  public static KafkaSettings of(String bootstrapServers) {
    return new KafkaSettings(bootstrapServers, 0, KafkaSecurity.NONE);
  }

  public KafkaSettings withLingerMs(int newLingerMs) {
    return new KafkaSettings(bootstrapServers, newLingerMs, security);
  }

  public KafkaSettings withSecurity(KafkaSecurity newSecurity) {
    return new KafkaSettings(bootstrapServers, lingerMs, newSecurity);
  }

  /**
   * A producer's properties: acknowledged by all in-sync replicas and idempotent, so a partition
   * keeps the order of sending and holds no repeats of one producer. Records during a request go
   * with the next one, since each request costs the broker and its readers: a slower broker gets
   * fewer of them.
   */
  public Map<String, Object> producer(String clientId) {
    Map<String, Object> properties = client(clientId);
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, lingerMs);
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    properties.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    return properties;
  }

  /** A consumer's properties: no group and no commits; the caller selects the start. */
  public Map<String, Object> consumer(String clientId) {
    Map<String, Object> properties = client(clientId);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    // The broker answers a waiting fetch as soon as one byte is there.
    properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    // Nothing here writes in transactions, so there is nothing to wait for.
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return properties;
  }

  /** An admin client's properties. */
  public Map<String, Object> admin(String clientId) {
    return client(clientId);
  }

  public Producer<byte[], byte[]> newProducer(String clientId) {
    return new KafkaProducer<>(producer(clientId));
  }

  /**
   * A producer of which each record has an outcome within {@code max}, and half of that more when
   * it has to wait for the topic's metadata.
   *
   * @param recordBytesMax of one record with what Kafka puts around it
   */
  public Producer<byte[], byte[]> newBoundedProducer(
      String clientId, Duration max, int recordBytesMax) {
    int halfMs = (int) max.toMillis() / 2;
    Map<String, Object> properties = producer(clientId);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) max.toMillis());
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, halfMs);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (long) halfMs);
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, recordBytesMax);
    return new KafkaProducer<>(properties);
  }

  public Consumer<byte[], byte[]> newConsumer(String clientId) {
    return new KafkaConsumer<>(consumer(clientId));
  }

  /** A consumer that reports an offset which the log does not have, and does not start again. */
  Consumer<byte[], byte[]> newTailConsumer(String clientId) {
    Map<String, Object> properties = consumer(clientId);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    return new KafkaConsumer<>(properties);
  }

  /**
   * A consumer that shares partitions with the others of its group. If the broker receives no
   * heartbeat for {@code silenceMax}, the consumer loses its partitions.
   */
  public Consumer<byte[], byte[]> newMember(String clientId, String group, Duration silenceMax) {
    Map<String, Object> properties = consumer(clientId);
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, (int) silenceMax.toMillis());
    properties.put(
        ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
        (int) silenceMax.toMillis() / HEARTBEATS_PER_SESSION);
    // A member keeps its partitions when other members join or leave.
    properties.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        List.of(CooperativeStickyAssignor.class));
    return new KafkaConsumer<>(properties);
  }

  public Admin newAdmin(String clientId) {
    return Admin.create(admin(clientId));
  }

  private Map<String, Object> client(String clientId) {
    Map<String, Object> properties = new HashMap<>(security.ofKafka());
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
    properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS);
    properties.put(
        CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, (long) RECONNECT_BACKOFF_MS_MAX);
    // JMX is not used, and two clients of one name in one JVM would log a warning.
    properties.put(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, "");
    properties.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
    return properties;
  }
}
