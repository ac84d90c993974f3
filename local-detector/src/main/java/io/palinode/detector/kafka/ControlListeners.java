package io.palinode.detector.kafka;

import io.palinode.wire.LogTail;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Those that read a node's control log: plans first. */
record ControlListeners(LogTail.Listener plans, List<LogTail.Listener> others)
    implements LogTail.Listener {
  @Override
  public void onRecord(ConsumerRecord<byte[], byte[]> record) {
    plans.onRecord(record);
    others.forEach(other -> other.onRecord(record));
  }

  @Override
  public void onCaughtUp() {
    plans.onCaughtUp();
    others.forEach(LogTail.Listener::onCaughtUp);
  }

  @Override
  public void onPolled() {
    plans.onPolled();
  }
}
