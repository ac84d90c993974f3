package io.palinode.monitor.flink.job;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.flink.CandidateEventSerializer;
import io.palinode.wire.CandidateRecordCheck;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.v1.CandidateRecord;
import java.io.Serial;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads candidates. A record that is empty, unreadable or absurd is passed over and counted as
 * {@code candidatesMalformed}: its node's sequence then shows that an event is missing.
 */
final class CandidateDeserializer implements KafkaRecordDeserializationSchema<CandidateEvent> {
  @Serial private static final long serialVersionUID = 1L;

  private final int nodes;

  @SuppressWarnings("NullAway.Init") // Set by open, which Flink calls first.
  private transient Counter malformed;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient RecordReader<CandidateRecord> reader;

  CandidateDeserializer(int nodes) {
    this.nodes = nodes;
  }

  @Override
  public void open(InitializationContext context) {
    malformed = context.getMetricGroup().counter("candidatesMalformed");
    reader =
        new RecordReader<>(
            CandidateRecord.parser(), CandidateRecordCheck::require, nodes, new RefusedRecords());
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<CandidateEvent> out) {
    CandidateRecord candidate = reader.checked(record);
    if (candidate == null) {
      malformed.inc();
    } else {
      out.collect(CandidateEvent.of(record.partition(), nodes, candidate, record.value()));
    }
  }

  @Override
  public TypeInformation<CandidateEvent> getProducedType() {
    return CandidateEventSerializer.TYPE;
  }
}
