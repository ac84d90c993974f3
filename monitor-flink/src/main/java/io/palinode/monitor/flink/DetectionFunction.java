package io.palinode.monitor.flink;

import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Epsilon;
import io.palinode.hvc.HvcCodec;
import io.palinode.monitor.ActivePredicate;
import io.palinode.monitor.ActivePredicate.Standing;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Change;
import io.palinode.monitor.Instance;
import io.palinode.monitor.InstanceKey;
import io.palinode.monitor.InstanceState;
import io.palinode.monitor.Notice;
import io.palinode.monitor.SequenceCheck;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.IntervalRef;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Detection of one predicate instance a key. An event is applied once its predicate's version and
 * its node's incarnation are known here, and waits for them otherwise; a timer at {@code wakeAt}
 * settles what only the passing of time decides.
 */
final class DetectionFunction
    extends KeyedBroadcastProcessFunction<String, CandidateEvent, Notice, Verdict> {
  /** By {@code <partition>/<node>}: the newest notice of a node on a partition. */
  static final MapStateDescriptor<String, Notice> NODES =
      new MapStateDescriptor<>("nodes", Types.STRING, PredicateDeserializer.TYPE);

  @Serial private static final long serialVersionUID = 1L;

  private static final String NEWEST = "newest";

  /** Under {@link #NEWEST}: the newest epoch in which any node has spoken. */
  static final MapStateDescriptor<String, Long> EPOCH =
      new MapStateDescriptor<>("epoch", Types.STRING, Types.LONG);

  private static final long RETRY_MS = 20;

  private final int nodes;
  private final String epsilon;

  @SuppressWarnings("NullAway.Init") // These are set by open, which Flink calls first.
  private transient PredicateBook predicates;

  @SuppressWarnings("NullAway.Init")
  private transient KeptInstances instances;

  @SuppressWarnings("NullAway.Init")
  private transient WaitingRoom waiting;

  @SuppressWarnings("NullAway.Init")
  private transient Publisher publisher;

  @SuppressWarnings("NullAway.Init")
  private transient Counter outdated;

  @SuppressWarnings("NullAway.Init")
  private transient Counter ofOldEpoch;

  @SuppressWarnings("NullAway.Init")
  private transient Counter unusable;

  DetectionFunction(int nodes, Epsilon epsilon) {
    this.nodes = nodes;
    this.epsilon = epsilon.toString();
  }

  @Override
  public void open(OpenContext context) {
    predicates = new PredicateBook(nodes, Epsilon.parse(epsilon));
    instances = new KeptInstances(getRuntimeContext());
    waiting = new WaitingRoom(getRuntimeContext());
    MetricGroup metrics = getRuntimeContext().getMetricGroup();
    publisher = new Publisher(metrics.counter("violations"));
    outdated = metrics.counter("candidatesOutdated");
    ofOldEpoch = metrics.counter("candidatesOfOldEpoch");
    unusable = metrics.counter("candidatesUnusable");
  }

  @Override
  public void processElement(CandidateEvent event, ReadOnlyContext context, Collector<Verdict> out)
      throws Exception {
    if (waiting.isEmpty() && settle(event, context, out)) {
      return;
    }
    if (!waiting.add(event, context.timerService().currentProcessingTime())) {
      lose(event, out);
      return;
    }
    // Before the watermark passes the event: by then it is settled, or judgement is held.
    context.timerService().registerEventTimeTimer(event.hlc());
    retryWaiting(context, out);
  }

  @Override
  public void onTimer(long timestamp, OnTimerContext context, Collector<Verdict> out)
      throws Exception {
    if (!waiting.isEmpty()) {
      retryWaiting(context, out);
    }
    if (context.timeDomain() == TimeDomain.EVENT_TIME) {
      wake(timestamp, context, out);
    }
  }

  @Override
  public void processBroadcastElement(Notice notice, Context context, Collector<Verdict> out)
      throws Exception {
    switch (notice.kind()) {
      case PREDICATE -> predicates.learn(notice, context.getBroadcastState(PredicateBook.STATE));
      case LOST -> {
        // Every subtask hears of it, one tells.
        if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
          out.collect(Verdict.of(CoverageLost.parseFrom(notice.body())));
        }
      }
      case NODE -> {
        context.getBroadcastState(NODES).put(channel(notice.partition(), notice.node()), notice);
        BroadcastState<String, Long> epoch = context.getBroadcastState(EPOCH);
        epoch.put(NEWEST, Math.max(newestEpoch(epoch), notice.epoch()));
        if (notice.endsIncarnation()) {
          endIncarnation(notice, context, out);
        }
      }
    }
  }

  /** Settles what time has decided for the current key, or drops what is stale. */
  private void wake(long timestamp, OnTimerContext context, Collector<Verdict> out)
      throws Exception {
    String key = context.getCurrentKey();
    InstanceState kept = instances.get();
    if (kept == null) {
      return;
    }
    ActivePredicate predicate =
        predicates.get(
            InstanceKey.parse(key).predicate(), context.getBroadcastState(PredicateBook.STATE));
    DetectionSpec spec = predicate == null ? null : predicate.spec();
    if (predicate == null
        || spec == null
        || kept.isStale(newestEpoch(context.getBroadcastState(EPOCH)), predicate)) {
      instances.drop(kept, context.timerService());
      return;
    }
    Instance instance = Instance.resume(kept, spec);
    List<Witness> found = instance.progress(context.currentWatermark());
    publisher.publish(key, predicate, instance, found, out);
    instances.save(key, kept, timestamp, instance, context.timerService());
  }

  private void endIncarnation(Notice notice, Context context, Collector<Verdict> out)
      throws Exception {
    ReadOnlyBroadcastState<String, byte[]> known = context.getBroadcastState(PredicateBook.STATE);
    // Timers cannot be set here; closing intervals settles all that was pending for them, and
    // housekeeping drops what is left.
    context.applyToKeyedState(
        KeptInstances.STATE,
        (key, state) -> {
          InstanceState kept = KeptInstances.get(state);
          ActivePredicate predicate = predicates.get(InstanceKey.parse(key).predicate(), known);
          DetectionSpec spec = predicate == null ? null : predicate.spec();
          if (kept == null
              || predicate == null
              || spec == null
              || kept.partition() != notice.partition()
              || kept.isStale(notice.epoch(), predicate)) {
            return;
          }
          Instance instance = Instance.resume(kept, spec);
          List<Witness> found = beginIncarnation(instance, notice);
          publisher.publish(key, predicate, instance, found, out);
          KeptInstances.save(state, kept, instance);
        });
  }

  private static List<Witness> beginIncarnation(Instance instance, Notice notice) {
    return instance.beginIncarnation(
        notice.node(), notice.incarnation(), HvcCodec.decode(notice.body()));
  }

  /** Applies or drops the event; false when it has to wait. */
  private boolean settle(CandidateEvent event, ReadOnlyContext context, Collector<Verdict> out)
      throws Exception {
    Notice node = context.getBroadcastState(NODES).get(channel(event.partition(), event.node()));
    if (node == null || node.incarnation() < event.incarnation()) {
      return false;
    }
    CandidateRecord record = event.decode();
    IntervalRef interval = Change.interval(record);
    ActivePredicate predicate =
        predicates.get(interval.getPredicate(), context.getBroadcastState(PredicateBook.STATE));
    Standing standing = ActivePredicate.standing(predicate, interval.getPredicateVersion());
    if (predicate == null || standing == Standing.AHEAD) {
      return false;
    }
    DetectionSpec spec = predicate.spec();
    if (spec == null || standing == Standing.OUTDATED) {
      outdated.inc();
      return true;
    }
    Change change;
    try {
      change = Change.of(record, spec);
    } catch (IllegalArgumentException misfit) {
      lose(event, out);
      return true;
    }
    apply(event, change, node, predicate, spec, context, out);
    return true;
  }

  private void apply(
      CandidateEvent event,
      Change change,
      Notice node,
      ActivePredicate predicate,
      DetectionSpec spec,
      ReadOnlyContext context,
      Collector<Verdict> out)
      throws Exception {
    InstanceState kept = instances.get();
    long newest = newestEpoch(context.getBroadcastState(EPOCH));
    if (event.epoch() < newest || (kept != null && event.epoch() < kept.epoch())) {
      ofOldEpoch.inc();
      return;
    }
    Instance instance =
        kept == null || kept.isStale(event.epoch(), predicate)
            ? Instance.begin(event, predicate.version(), spec)
            : Instance.resume(kept, spec);
    List<Witness> found = new ArrayList<>(instance.apply(change, context.currentWatermark()));
    if (event.incarnation() < node.incarnation()) {
      // The notice was faster than an event that stood before it.
      found.addAll(beginIncarnation(instance, node));
    }
    publisher.publish(event.key(), predicate, instance, found, out);
    instances.save(event.key(), kept, event.hlc(), instance, context.timerService());
  }

  private void retryWaiting(ReadOnlyContext context, Collector<Verdict> out) throws Exception {
    List<CandidateEvent> rest = new ArrayList<>();
    for (CandidateEvent event : waiting.events()) {
      if (!rest.isEmpty() || !settle(event, context, out)) {
        rest.add(event);
      }
    }
    long nowMs = context.timerService().currentProcessingTime();
    if (waiting.isOverdue(nowMs)) {
      rest.forEach(event -> lose(event, out));
      rest.clear();
    }
    Long held = waiting.heldAt();
    if (rest.isEmpty()) {
      if (held != null) {
        out.collect(Verdict.release(held));
      }
      waiting.clear();
      return;
    }
    waiting.keep(rest);
    long least = rest.stream().mapToLong(CandidateEvent::hlc).min().orElseThrow();
    if (held == null && least <= context.currentWatermark()) {
      out.collect(Verdict.hold(least));
      waiting.holdAt(least);
    }
    context.timerService().registerProcessingTimeTimer(nowMs + RETRY_MS);
  }

  /** An event that cannot be used is a loss that is told, like one that never came. */
  private void lose(CandidateEvent event, Collector<Verdict> out) {
    unusable.inc();
    out.collect(Verdict.of(SequenceCheck.lossOf(event)));
  }

  private static long newestEpoch(ReadOnlyBroadcastState<String, Long> epoch) throws Exception {
    Long newest = epoch.get(NEWEST);
    return newest == null ? 0 : newest;
  }

  private static String channel(int partition, int node) {
    return partition + "/" + node;
  }
}
