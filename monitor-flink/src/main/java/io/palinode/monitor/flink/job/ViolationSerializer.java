package io.palinode.monitor.flink.job;

import java.io.Serial;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Writes violation records to the one partition of their topic. */
final class ViolationSerializer implements KafkaRecordSerializationSchema<byte[]> {
  @Serial private static final long serialVersionUID = 1L;

  private final String topic;

  ViolationSerializer(String topic) {
    this.topic = topic;
  }

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      byte[] record, KafkaSinkContext context, @Nullable Long timestamp) {
    return new ProducerRecord<>(topic, 0, null, record);
  }
}
