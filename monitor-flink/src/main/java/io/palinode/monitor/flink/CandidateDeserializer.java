package io.palinode.monitor.flink;

import io.palinode.monitor.CandidateEvent;
import java.io.Serial;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads candidates. What cannot be read is dropped and counted as {@code candidatesMalformed}: the
 * node's sequence then shows that an event is missing.
 */
final class CandidateDeserializer implements KafkaRecordDeserializationSchema<CandidateEvent> {
  static final TypeInformation<CandidateEvent> TYPE =
      new StableType<>(CandidateEvent.class, CandidateEventSerializer.INSTANCE);

  @Serial private static final long serialVersionUID = 1L;

  private final int nodes;

  @SuppressWarnings("NullAway.Init") // Set by open, which Flink calls first.
  private transient Counter malformed;

  CandidateDeserializer(int nodes) {
    this.nodes = nodes;
  }

  @Override
  public void open(InitializationContext context) {
    malformed = context.getMetricGroup().counter("candidatesMalformed");
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<CandidateEvent> out) {
    CandidateEvent event;
    try {
      event = CandidateEvent.parse(record.partition(), nodes, record.value());
    } catch (IllegalArgumentException unreadable) {
      malformed.inc();
      return;
    }
    out.collect(event);
  }

  @Override
  public TypeInformation<CandidateEvent> getProducedType() {
    return TYPE;
  }
}
