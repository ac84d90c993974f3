package io.palinode.detector.kafka;

import io.palinode.detector.ControlLog;
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
record ControlPublisher(Producer<byte[], byte[]> producer, String topic) implements ControlLog {

  @Override
  public void append(List<ControlRecord> records) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (ControlRecord record : records) {
      sent.add(producer.send(new ProducerRecord<>(topic, 0, null, record.toByteArray())));
    }
    for (Future<RecordMetadata> one : sent) {
      await(one);
    }
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
