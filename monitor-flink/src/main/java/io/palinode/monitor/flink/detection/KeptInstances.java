package io.palinode.monitor.flink.detection;

import io.palinode.monitor.flink.InstanceSerializer;
import io.palinode.monitor.instance.Housekeeping;
import io.palinode.monitor.instance.Instance;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.TimerService;
import org.jspecify.annotations.Nullable;

/**
 * The instance of the current key, and its timer: one, at the detector's {@code wakeAt}, and for
 * housekeeping at the latest. When it moves away, the timer stays, comes for nothing and is set
 * again: that is cheaper than to move it with every event. An empty instance keeps neither.
 */
final class KeptInstances {
  private final ValueState<Instance> kept;
  private final WaitingRoom waiting;
  private final PredicateMeters meters;

  /** By predicate. */
  private final Map<String, Integer> counts = new HashMap<>();

  KeptInstances(RuntimeContext context, WaitingRoom waiting, PredicateMeters meters) {
    this.kept =
        context.getState(new ValueStateDescriptor<>("instance", InstanceSerializer.INSTANCE));
    this.waiting = waiting;
    this.meters = meters;
  }

  /** What is kept of the current key; null when nothing is. */
  @Nullable Instance get() throws Exception {
    return kept.value();
  }

  /**
   * How many are kept of the predicate; after a restore, as far as they were looked at since, which
   * housekeeping does soon.
   */
  int count(String predicate) {
    return counts.getOrDefault(predicate, 0);
  }

  /** {@code predicate} is the name of the instance's. */
  void drop(String predicate, Instance instance, TimerService timers) throws Exception {
    kept.clear();
    if (instance.isCounted()) {
      meters.of(predicate).instanceDropped();
      counts.computeIfPresent(predicate, (name, count) -> count == 1 ? null : count - 1);
    }
    takeBackTimer(instance, timers);
  }

  /**
   * Puts the instance back, and sets the timer that it needs.
   *
   * @param hlc the time of the event or timer that is being handled
   */
  void save(String key, String predicate, long hlc, Instance instance, TimerService timers)
      throws Exception {
    if (instance.isEmpty()) {
      drop(predicate, instance, timers);
      return;
    }
    if (!instance.isCounted()) {
      instance.setCounted();
      meters.of(predicate).instanceKept();
      counts.merge(predicate, 1, Integer::sum);
    }
    long wake = instance.wakeAt();
    if (!instance.hasTimer()) {
      setTimer(Math.min(wake, Housekeeping.next(key, hlc)), instance, timers);
    } else if (wake < instance.timerAt()) {
      takeBackTimer(instance, timers);
      setTimer(wake, instance, timers);
    }
    kept.update(instance);
  }

  /**
   * After the watermark, whatever is asked: one before it would come again within the same step.
   */
  private static void setTimer(long asked, Instance instance, TimerService timers) {
    long watermark = timers.currentWatermark();
    long at = Math.max(asked, watermark == Long.MAX_VALUE ? watermark : watermark + 1);
    timers.registerEventTimeTimer(at);
    instance.setTimer(at);
  }

  /** Not while events wait: a timer of theirs may have the same time, and would go with it. */
  private void takeBackTimer(Instance instance, TimerService timers) throws Exception {
    if (instance.hasTimer() && waiting.isEmpty()) {
      timers.deleteEventTimeTimer(instance.timerAt());
    }
  }
}
