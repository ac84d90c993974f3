package io.palinode.monitor.flink.detection;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.flink.CandidateEventSerializer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * Events of the current key that wait for their predicate's version, which comes by another topic.
 * In their order; at most {@link #EVENTS_MAX} a key.
 */
final class WaitingRoom {
  static final int EVENTS_MAX = 1_000;

  /** How long an event waits; a predicate takes milliseconds. */
  static final long WAIT_MS_MAX = 10_000;

  private final ListState<CandidateEvent> events;
  private final ValueState<Long> sinceMs;
  private final ValueState<Long> heldAt;

  /** The first call of {@link #isOverdue} in this run of the task; -1: none yet. */
  private long runSinceMs = -1;

  WaitingRoom(RuntimeContext context) {
    events =
        context.getListState(
            new ListStateDescriptor<>("waiting-events", CandidateEventSerializer.TYPE));
    sinceMs = context.getState(new ValueStateDescriptor<>("waiting-since", Types.LONG));
    heldAt = context.getState(new ValueStateDescriptor<>("waiting-held", Types.LONG));
  }

  boolean isEmpty() throws Exception {
    return sinceMs.value() == null;
  }

  /** False when there is no room left. */
  boolean add(CandidateEvent event, long nowMs) throws Exception {
    if (isEmpty()) {
      sinceMs.update(nowMs);
    } else if (events().size() >= EVENTS_MAX) {
      return false;
    }
    events.add(event);
    return true;
  }

  List<CandidateEvent> events() throws Exception {
    List<CandidateEvent> all = new ArrayList<>();
    events.get().forEach(all::add);
    return all;
  }

  void keep(List<CandidateEvent> rest) throws Exception {
    events.update(rest);
  }

  /** The time in which the job was down does not count: no predicate came then. */
  boolean isOverdue(long nowMs) throws Exception {
    if (runSinceMs < 0) {
      runSinceMs = nowMs;
    }
    Long since = sinceMs.value();
    return since != null && nowMs - Math.max(since, runSinceMs) >= WAIT_MS_MAX;
  }

  /** The HLC that judgement is held at because of this key; null for none. */
  @Nullable Long heldAt() throws Exception {
    return heldAt.value();
  }

  void holdAt(long hlc) throws Exception {
    heldAt.update(hlc);
  }

  void clear() {
    events.clear();
    sinceMs.clear();
    heldAt.clear();
  }
}
