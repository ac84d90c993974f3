package io.palinode.store.kafka;

import io.palinode.detector.binding.ControlLog;
import io.palinode.wire.ControlKeys;
import io.palinode.wire.v1.ControlRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** Appends to the one partition of the control topic. */
record ControlPublisher(Producer<byte[], byte[]> producer, String topic, ControlKeys keys)
    implements ControlLog {

  @Override
  public void append(List<ControlRecord> records) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (ControlRecord record : records.subList(0, Math.max(0, records.size() - 1))) {
      sent.add(send(record));
    }
    for (Future<RecordMetadata> one : sent) {
      await(one);
    }
    if (!records.isEmpty()) {
      // The last record states that all are there.
      await(send(records.get(records.size() - 1)));
    }
  }

  /** Does not wait for the broker, except for the topic's metadata. */
  Future<RecordMetadata> send(ControlRecord record) {
    return producer.send(new ProducerRecord<>(topic, 0, keys.of(record), record.toByteArray()));
  }

  private void await(Future<RecordMetadata> sent) {
    try {
      sent.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw new KafkaException("topic " + topic + " did not take a control record", e.getCause());
    }
  }
}
