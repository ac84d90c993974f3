package io.palinode.monitor.flink.job;

import io.palinode.monitor.Notice;
import io.palinode.monitor.flink.NoticeSerializer;
import io.palinode.wire.RecordChecks;
import io.palinode.wire.RecordReader;
import io.palinode.wire.RefusedRecords;
import io.palinode.wire.v1.PredicateRecord;
import java.io.Serial;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Passes predicate records on as notices. A record that is empty, unreadable or absurd is passed
 * over and counted as {@code predicatesMalformed}.
 */
final class PredicateDeserializer implements KafkaRecordDeserializationSchema<Notice> {
  @Serial private static final long serialVersionUID = 1L;

  private final int nodes;

  @SuppressWarnings("NullAway.Init") // Set by open, which Flink calls first.
  private transient Counter malformed;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient RecordReader<PredicateRecord> reader;

  PredicateDeserializer(int nodes) {
    this.nodes = nodes;
  }

  @Override
  public void open(InitializationContext context) {
    malformed = context.getMetricGroup().counter("predicatesMalformed");
    reader =
        new RecordReader<>(
            PredicateRecord.parser(), RecordChecks::predicate, nodes, new RefusedRecords());
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Notice> out) {
    if (reader.checked(record) == null) {
      malformed.inc();
    } else {
      out.collect(Notice.predicate(record.value()));
    }
  }

  @Override
  public TypeInformation<Notice> getProducedType() {
    return NoticeSerializer.TYPE;
  }
}
