package io.palinode.detector.kafka;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * A producer that gives no record up by itself, for one that was given up alone would be lost in
 * silence. While the broker is away its buffer fills, and then {@code send} waits until the thread
 * is interrupted; what cannot be sent meanwhile is for the caller to drop and to tell.
 */
final class PatientProducer {
  private static final long BUFFER_BYTES = 16L << 20;

  private PatientProducer() {}

  static Producer<byte[], byte[]> create(KafkaSettings settings, String clientId) {
    Map<String, Object> properties = settings.producer(clientId);
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, TopicLayout.CONTROL_RECORD_BYTES_MAX);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.MAX_VALUE);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    // What comes while a request is under way goes with the next: the slower the broker, the fewer.
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    return new KafkaProducer<>(properties);
  }
}
