package io.palinode.monitor.flink;

import io.palinode.monitor.ActivePredicate;
import io.palinode.monitor.Notice;
import java.io.Serial;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands predicate records on as notices. */
final class PredicateDeserializer implements KafkaRecordDeserializationSchema<Notice> {
  static final TypeInformation<Notice> TYPE =
      new StableType<>(Notice.class, NoticeSerializer.INSTANCE);

  private static final Logger LOG = LoggerFactory.getLogger(PredicateDeserializer.class);

  @Serial private static final long serialVersionUID = 1L;

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Notice> out) {
    // A tombstone only says that compaction may forget the name: there is nothing to learn from it.
    if (record.value() == null) {
      return;
    }
    try {
      ActivePredicate.decode(record.value());
    } catch (IllegalArgumentException unreadable) {
      LOG.error("topic={} offset={} is no predicate record", record.topic(), record.offset());
      return;
    }
    out.collect(Notice.predicate(record.value()));
  }

  @Override
  public TypeInformation<Notice> getProducedType() {
    return TYPE;
  }
}
