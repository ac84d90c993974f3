package io.palinode.monitor.flink;

import io.palinode.monitor.Housekeeping;
import io.palinode.monitor.Instance;
import io.palinode.monitor.InstanceState;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.streaming.api.TimerService;
import org.jspecify.annotations.Nullable;

/**
 * The state of the current key's instance, and its timers: one at the detector's {@code wakeAt},
 * one for housekeeping while there is any state. An empty instance keeps neither. A timer that is
 * no longer needed stays and comes for nothing: taking it back could take another one of the same
 * time.
 */
final class KeptInstances {
  private final ValueState<byte[]> bytes;

  KeptInstances(RuntimeContext context) {
    bytes =
        context.getState(
            new ValueStateDescriptor<>(
                "instance", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
  }

  /** What is kept of the current key; null when nothing is. */
  @Nullable InstanceState get() throws Exception {
    byte[] kept = bytes.value();
    return kept == null ? null : InstanceState.decode(kept);
  }

  void drop() {
    bytes.clear();
  }

  /**
   * Puts the instance back, and sets the timers that it needs.
   *
   * @param kept what was kept before, if anything
   * @param hlc the time of the event or timer that is being handled
   */
  void save(
      String key, @Nullable InstanceState kept, long hlc, Instance instance, TimerService timers)
      throws Exception {
    InstanceState next = instance.state();
    if (next == null) {
      bytes.clear();
      return;
    }
    bytes.update(next.encode());
    if (next.wakeAt() != InstanceState.NO_WAKE
        && (kept == null || kept.wakeAt() != next.wakeAt())) {
      timers.registerEventTimeTimer(next.wakeAt());
    }
    if (kept == null || Housekeeping.isDue(key, hlc)) {
      timers.registerEventTimeTimer(Housekeeping.next(key, hlc));
    }
  }
}
