package io.palinode.detector.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.wire.LogTail;
import io.palinode.wire.v1.ControlRecord;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Those that hear a node's control log: plans first, but at a start. A record is parsed once. */
record ControlListeners(ControlTail plans, List<ControlListener> others)
    implements LogTail.Listener {
  @Override
  public void onRecord(ConsumerRecord<byte[], byte[]> record) {
    ControlRecord step;
    try {
      step = ControlRecord.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      plans.refused(record, e);
      return;
    }
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
