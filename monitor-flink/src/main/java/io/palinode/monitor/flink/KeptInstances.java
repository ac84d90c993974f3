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
 * one for housekeeping while there is any state. An empty instance keeps neither.
 */
final class KeptInstances {
  static final ValueStateDescriptor<byte[]> STATE =
      new ValueStateDescriptor<>("instance", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private final ValueState<byte[]> bytes;

  KeptInstances(RuntimeContext context) {
    bytes = context.getState(STATE);
  }

  /** What is kept of the current key; null when nothing is. */
  @Nullable InstanceState get() throws Exception {
    return get(bytes);
  }

  void drop(InstanceState kept, TimerService timers) {
    moveTimer(kept.wakeAt(), InstanceState.NO_WAKE, timers);
    bytes.clear();
  }

  /**
   * Puts the instance back, and its timers where they belong.
   *
   * @param kept what was kept before, if anything
   * @param hlc the time of the event or timer that is being handled
   */
  void save(
      String key, @Nullable InstanceState kept, long hlc, Instance instance, TimerService timers)
      throws Exception {
    long wakeAt = instance.wakeAt();
    InstanceState next = instance.state(wakeAt);
    moveTimer(
        kept == null ? InstanceState.NO_WAKE : kept.wakeAt(),
        next == null ? InstanceState.NO_WAKE : wakeAt,
        timers);
    if (next == null) {
      bytes.clear();
      return;
    }
    bytes.update(next.encode());
    if (kept == null || Housekeeping.isDue(key, hlc)) {
      timers.registerEventTimeTimer(Housekeeping.next(key, hlc));
    }
  }

  static @Nullable InstanceState get(ValueState<byte[]> of) throws Exception {
    byte[] kept = of.value();
    return kept == null ? null : InstanceState.decode(kept);
  }

  /** Where timers cannot be moved: the one that is set stays, and may come for nothing. */
  static void save(ValueState<byte[]> of, InstanceState kept, Instance instance) throws Exception {
    InstanceState next = instance.state(kept.wakeAt());
    if (next == null) {
      of.clear();
    } else {
      of.update(next.encode());
    }
  }

  private static void moveTimer(long from, long to, TimerService timers) {
    if (from == to) {
      return;
    }
    if (from != InstanceState.NO_WAKE) {
      timers.deleteEventTimeTimer(from);
    }
    if (to != InstanceState.NO_WAKE) {
      timers.registerEventTimeTimer(to);
    }
  }
}
