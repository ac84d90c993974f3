package io.palinode.store.kafka;

import io.palinode.wire.LogTail;
import io.palinode.wire.RecordReader;
import io.palinode.wire.v1.ControlRecord;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * The listeners of a node's control log: clocks first, then plans, except at the end of the first
 * reading. A record is parsed once; a record that {@code reader} refuses reaches no listener.
 */
record ControlListeners(
    RecordReader<ControlRecord> reader,
    PeerClocks clocks,
    ControlTail plans,
    List<ControlListener> others)
    implements LogTail.Listener {
  @Override
  public void onRecord(ConsumerRecord<byte[], byte[]> record) {
    reader.read(record, this::onStep);
  }

  @Override
  public void onUnreadable(TopicPartition partition, long offset, KafkaException why) {
    reader.refuseUnreadable(partition, offset, why);
  }

  private void onStep(ControlRecord step) {
    clocks.onStep(step);
    plans.onStep(step);
    others.forEach(other -> other.onStep(step));
  }

  @Override
  public void onCaughtUp() {
    // A plan may go to a snapshot whose part is still to be filed.
    others.forEach(ControlListener::onCaughtUp);
    plans.onCaughtUp();
  }

  @Override
  public void onPolled() {
    plans.onPolled();
  }
}
