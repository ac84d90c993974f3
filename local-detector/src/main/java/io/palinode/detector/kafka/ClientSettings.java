package io.palinode.detector.kafka;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Settings of the node's Kafka clients. */
final class ClientSettings {
  private static final long BUFFER_BYTES = 16L << 20;
  private static final int REQUEST_BYTES_MAX = 8 << 20;

  private ClientSettings() {}

  /**
   * Never gives a record up, for a record that was given up alone would be lost in silence: when
   * the broker is away the buffer fills, then {@code send} waits, and what cannot be sent meanwhile
   * is for the caller to drop and to tell.
   */
  static Map<String, Object> producer(String bootstrapServers, Duration linger) {
    return Map.of(
        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
        bootstrapServers,
        ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
        ByteArraySerializer.class,
        ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
        ByteArraySerializer.class,
        ProducerConfig.ACKS_CONFIG,
        "all",
        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
        true,
        ProducerConfig.LINGER_MS_CONFIG,
        linger.toMillis(),
        ProducerConfig.BUFFER_MEMORY_CONFIG,
        BUFFER_BYTES,
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        REQUEST_BYTES_MAX,
        ProducerConfig.MAX_BLOCK_MS_CONFIG,
        Long.MAX_VALUE,
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
        Integer.MAX_VALUE);
  }

  /** Without a group: a tail reads every partition from its beginning, and keeps its own place. */
  static Map<String, Object> tail(String bootstrapServers) {
    return Map.of(
        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
        bootstrapServers,
        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
        ByteArrayDeserializer.class,
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
        ByteArrayDeserializer.class,
        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
        "earliest",
        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
        false,
        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
        false);
  }
}
