package io.palinode.detector.kafka;

import io.palinode.wire.KafkaSettings;
import io.palinode.wire.TopicLayout;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Creates producers that never give up a record by themselves. If the broker is unreachable the
 * buffer fills, and {@code send} then waits until the thread is interrupted. The caller drops
 * unsent records and publishes a gap.
 */
public final class PatientProducer {
  private static final long BUFFER_BYTES = 16L << 20;

  private PatientProducer() {}

  public static Producer<byte[], byte[]> create(KafkaSettings settings, String clientId) {
    Map<String, Object> properties = settings.producer(clientId);
    properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, TopicLayout.CONTROL_RECORD_BYTES_MAX);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.MAX_VALUE);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    return new KafkaProducer<>(properties);
  }
}
