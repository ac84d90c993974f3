package io.palinode.detector.kafka;

import io.palinode.wire.LogTail;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The two that read a node's control log: plans first. */
record ControlListeners(LogTail.Listener plans, LogTail.Listener snapshots)
    implements LogTail.Listener {
  @Override
  public void onRecord(ConsumerRecord<byte[], byte[]> record) {
    plans.onRecord(record);
    snapshots.onRecord(record);
  }

  @Override
  public void onCaughtUp() {
    plans.onCaughtUp();
    snapshots.onCaughtUp();
  }

  @Override
  public void onPolled() {
    plans.onPolled();
  }
}
