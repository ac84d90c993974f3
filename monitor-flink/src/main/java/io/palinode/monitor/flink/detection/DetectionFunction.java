package io.palinode.monitor.flink.detection;

import io.palinode.detection.DetectionLimits;
import io.palinode.detection.DetectionSpec;
import io.palinode.detection.Witness;
import io.palinode.hvc.Epsilon;
import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Restart;
import io.palinode.monitor.Search;
import io.palinode.monitor.flink.Verdict;
import io.palinode.monitor.instance.ActivePredicate;
import io.palinode.monitor.instance.ActivePredicate.Standing;
import io.palinode.monitor.instance.Change;
import io.palinode.monitor.instance.Housekeeping;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.InstanceKey;
import io.palinode.monitor.sequence.SequenceCheck;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.PredicateRecord;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Detection of one predicate instance a key. An event is applied once its predicate's version is
 * known here, and waits for it otherwise; a timer at {@code wakeAt} settles what only the passing
 * of time decides. A restart of a node is applied when an instance is next looked at: until then
 * nothing is decided about it.
 */
public final class DetectionFunction
    extends KeyedBroadcastProcessFunction<String, CandidateEvent, Notice, Verdict>
    implements CheckpointedFunction {
  /** Under {@link #NEWEST}: the newest epoch in which any node has spoken. */
  private static final MapStateDescriptor<String, Long> EPOCH =
      new MapStateDescriptor<>("epoch", Types.STRING, Types.LONG);

  /** Of {@link SearchBook}; every subtask gets all, for instances may move. */
  private static final ListStateDescriptor<String> REFUSED =
      new ListStateDescriptor<>("candidates-refused", Types.STRING);

  @Serial private static final long serialVersionUID = 1L;

  private static final String NEWEST = "newest";
  private static final long RETRY_MS = 20;

  private final int nodes;
  private final String epsilon;
  private final DetectionSettings settings;

  @SuppressWarnings("NullAway.Init") // This and the next are set by open, which Flink calls first.
  private transient PredicateBook predicates;

  @SuppressWarnings("NullAway.Init")
  private transient RestartBook restarts;

  @SuppressWarnings("NullAway.Init")
  private transient SearchBook searches;

  @SuppressWarnings("NullAway.Init")
  private transient ListState<String> savedRefused;

  @SuppressWarnings("NullAway.Init")
  private transient GapBook gaps;

  @SuppressWarnings("NullAway.Init")
  private transient KeptInstances instances;

  @SuppressWarnings("NullAway.Init")
  private transient WaitingRoom waiting;

  @SuppressWarnings("NullAway.Init")
  private transient HeapRoom room;

  @SuppressWarnings("NullAway.Init")
  private transient Publisher publisher;

  @SuppressWarnings("NullAway.Init")
  private transient PredicateMeters meters;

  @SuppressWarnings("NullAway.Init")
  private transient Counter outdated;

  @SuppressWarnings("NullAway.Init")
  private transient Counter ofOldEpoch;

  @SuppressWarnings("NullAway.Init")
  private transient Counter unusable;

  @SuppressWarnings("NullAway.Init")
  private transient PhantomCount phantoms;

  public DetectionFunction(int nodes, Epsilon epsilon, DetectionSettings settings) {
    this.nodes = nodes;
    this.epsilon = epsilon.toString();
    this.settings = settings;
  }

  /** What every subtask keeps of the notices. */
  public static List<MapStateDescriptor<?, ?>> broadcastStates() {
    return List.of(PredicateBook.STATE, RestartBook.STATE, SearchBook.STATE, GapBook.STATE, EPOCH);
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    searches = new SearchBook();
    savedRefused = context.getOperatorStateStore().getUnionListState(REFUSED);
    searches.restore(savedRefused.get());
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    savedRefused.update(searches.saved());
  }

  @Override
  public void open(OpenContext context) {
    MetricGroup metrics = getRuntimeContext().getMetricGroup();
    predicates = new PredicateBook(nodes, Epsilon.parse(epsilon));
    restarts = new RestartBook();
    gaps = new GapBook();
    waiting = new WaitingRoom(getRuntimeContext());
    room = HeapRoom.ofProcess(settings.heapShareMax());
    meters = new PredicateMeters(metrics);
    instances = new KeptInstances(getRuntimeContext(), waiting, meters);
    publisher = new Publisher(metrics, meters, settings);
    phantoms = new PhantomCount(settings, meters);
    outdated = metrics.counter("candidatesOutdated");
    ofOldEpoch = metrics.counter("candidatesOfOldEpoch");
    unusable = metrics.counter("candidatesUnusable");
  }

  @Override
  public void processElement(CandidateEvent event, ReadOnlyContext context, Collector<Verdict> out)
      throws Exception {
    phantoms.decide(context.currentWatermark(), out);
    if (waiting.isEmpty() && settle(event, context.currentWatermark(), context, out)) {
      return;
    }
    if (!waiting.add(event, context.timerService().currentProcessingTime())) {
      lose(event, context, out);
      return;
    }
    // Before the watermark passes the event: by then it is settled, or judgement is held.
    context.timerService().registerEventTimeTimer(event.hlc());
    retryWaiting(context, out);
  }

  @Override
  public void onTimer(long timestamp, OnTimerContext context, Collector<Verdict> out)
      throws Exception {
    phantoms.decide(context.currentWatermark(), out);
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
      case PREDICATE -> {
        PredicateRecord taken =
            predicates.learn(notice, context.getBroadcastState(PredicateBook.STATE));
        if (taken != null) {
          out.collect(Verdict.of(detecting(taken)));
        }
      }
      case RESTARTED -> restarts.learn(notice, context.getBroadcastState(RestartBook.STATE));
      case SEARCHED -> searches.learn(notice, context.getBroadcastState(SearchBook.STATE));
      case WHOLE -> {
        searches.learn(notice, context.getBroadcastState(SearchBook.STATE));
        gaps.learn(Search.of(notice), context.getBroadcastState(GapBook.STATE));
      }
      case EPOCH -> {
        BroadcastState<String, Long> epoch = context.getBroadcastState(EPOCH);
        epoch.put(NEWEST, Math.max(newestEpoch(epoch), notice.sender().epoch()));
      }
      case LOST -> {
        gaps.learn(notice, context.getBroadcastState(GapBook.STATE));
        if (isFirstSubtask()) {
          out.collect(Verdict.of(CoverageLost.parseFrom(notice.body())));
        }
      }
      case REACHED -> {
        if (isFirstSubtask()) {
          out.collect(Verdict.reached(notice));
        }
      }
    }
  }

  /** Every subtask receives each notice, and one passes it on. */
  private boolean isFirstSubtask() {
    return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
  }

  private Detecting detecting(PredicateRecord taken) {
    TaskInfo task = getRuntimeContext().getTaskInfo();
    int subtask = task.getIndexOfThisSubtask();
    return Detecting.newBuilder()
        .setPredicate(taken.getName())
        .setVersion(taken.getVersion())
        .setSubtask(subtask)
        .setSubtasks(task.getNumberOfParallelSubtasks())
        .setYaml(subtask == 0 ? taken.getYaml() : "")
        .build();
  }

  /**
   * Applies or drops the event; false when it has to wait.
   *
   * @param reach up to which every event of the key has been applied, with this one
   */
  private boolean settle(
      CandidateEvent event, long reach, ReadOnlyContext context, Collector<Verdict> out)
      throws Exception {
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
      if (predicate.isMissedBy(event.hlc())) {
        publisher.publishOutdated(event, predicate, context.currentWatermark(), out);
      }
      return true;
    }
    Change change;
    try {
      change = Change.of(record, spec);
    } catch (IllegalArgumentException misfit) {
      lose(event, context, out);
      return true;
    }
    if (!Change.asksAgain(record, spec)) {
      apply(event, change, predicate, spec, reach, context, out);
    }
    return true;
  }

  private void apply(
      CandidateEvent event,
      Change change,
      ActivePredicate predicate,
      DetectionSpec spec,
      long reach,
      ReadOnlyContext context,
      Collector<Verdict> out)
      throws Exception {
    Instance kept = instances.get();
    long newest = newestEpoch(context.getBroadcastState(EPOCH));
    if (event.epoch() < newest || (kept != null && event.epoch() < kept.epoch())) {
      ofOldEpoch.inc();
      if (Change.asks(event.decode(), spec)) {
        // It may stand, and is not asked again.
        publisher.publishUnjudged(
            event.key(), event.partition(), Math.max(event.hlc(), context.currentWatermark()), out);
      }
      return;
    }
    if (kept != null && kept.isStale(event.epoch(), predicate)) {
      // After a restart there may be no watermark yet.
      long now = Math.max(event.hlc(), context.currentWatermark());
      drop(event.key(), kept, predicate, now, context, out);
      kept = null;
    }
    if (kept == null && instances.count(predicate.name()) >= settings.instancesMax()) {
      publisher.publishTooManyInstances(
          event, Math.max(event.hlc(), context.currentWatermark()), out);
      refused(event, context);
      return;
    }
    if (change.opens() && !room.isFor(event.record().length)) {
      publisher.publishNoRoom(event, Math.max(event.hlc(), context.currentWatermark()), out);
      refused(event, context);
      return;
    }
    DetectionLimits limits = settings.limits();
    Instance instance =
        kept == null ? Instance.begin(event, predicate.version(), spec, limits) : kept;
    instance.unpack(spec, limits);
    phantoms.observed(event.key(), instance, spec, change);
    meters.of(predicate.name()).candidate();
    List<Witness> found =
        catchUp(predicate.name(), spec, instance, Math.min(reach, event.hlc()), context);
    found.addAll(instance.apply(change));
    if (reach > event.hlc()) {
      found.addAll(catchUp(predicate.name(), spec, instance, reach, context));
    }
    found.addAll(instance.progress(reach));
    publisher.publish(event.key(), predicate, instance, found, out);
    phantoms.take(event.key(), instance, spec, context.timerService(), out);
    publisher.publishOverflow(
        event.key(), instance, Math.max(event.hlc(), context.currentWatermark()), out);
    instances.save(event.key(), predicate.name(), event.hlc(), instance, context.timerService());
  }

  /** Settles what time has decided for the current key, or drops what is stale. */
  private void wake(long timestamp, OnTimerContext context, Collector<Verdict> out)
      throws Exception {
    String key = context.getCurrentKey();
    Instance instance = instances.get();
    if (instance == null) {
      return;
    }
    instance.timerCame(timestamp);
    String name = InstanceKey.parse(key).predicate();
    ActivePredicate predicate =
        predicates.get(name, context.getBroadcastState(PredicateBook.STATE));
    DetectionSpec spec = predicate == null ? null : predicate.spec();
    if (predicate == null
        || spec == null
        || instance.isStale(newestEpoch(context.getBroadcastState(EPOCH)), predicate)) {
      drop(key, instance, predicate, context.currentWatermark(), context, out);
      return;
    }
    boolean due = instance.wakeAt() <= context.currentWatermark();
    if (due || !instance.hasTimer()) {
      instance.unpack(spec, settings.limits());
      long reach = context.currentWatermark();
      if (!waiting.isEmpty()) {
        reach = Math.min(reach, leastOf(waiting.events()) - 1);
      }
      List<Witness> found = catchUp(name, spec, instance, reach, context);
      found.addAll(instance.progress(reach));
      publisher.publish(key, predicate, instance, found, out);
      phantoms.take(key, instance, spec, context.timerService(), out);
      publisher.publishOverflow(key, instance, context.currentWatermark(), out);
    }
    if (!due && !instance.isEmpty() && Housekeeping.isDue(key, timestamp)) {
      instance.pack();
    }
    instances.save(key, name, timestamp, instance, context.timerService());
  }

  /** Drops what a rollback discarded, or another version replaced. */
  private void drop(
      String key,
      Instance stale,
      @Nullable ActivePredicate predicate,
      long now,
      ReadOnlyContext context,
      Collector<Verdict> out)
      throws Exception {
    DetectionSpec spec = predicate == null ? null : predicate.spec();
    if (spec != null && spec.isWithin() && stale.isWaiting()) {
      publisher.publishUnjudged(key, stale.partition(), now, out);
    }
    instances.drop(InstanceKey.parse(key).predicate(), stale, context.timerService());
  }

  /** Passes on what the notices since the last event say of the instance's nodes. */
  private List<Witness> catchUp(
      String predicate, DetectionSpec spec, Instance instance, long reach, ReadOnlyContext context)
      throws Exception {
    if (!instance.isCounted()) {
      searches.begun(predicate, instance);
    }
    List<Witness> found = new ArrayList<>();
    for (Restart restart :
        restarts.passed(
            instance.partition(), reach, context.getBroadcastState(RestartBook.STATE))) {
      found.addAll(instance.restarted(restart));
    }
    searches.pass(
        predicate,
        instance,
        spec.isWithin() ? reach : Long.MAX_VALUE,
        context.getBroadcastState(SearchBook.STATE));
    if (spec.isWithin()) {
      gaps.pass(instance, spec, reach, context.getBroadcastState(GapBook.STATE));
    }
    return found;
  }

  private void retryWaiting(ReadOnlyContext context, Collector<Verdict> out) throws Exception {
    List<CandidateEvent> rest = new ArrayList<>();
    List<CandidateEvent> events = waiting.events();
    for (int i = 0; i < events.size(); i++) {
      CandidateEvent event = events.get(i);
      // The watermark may have passed those behind it too, of which the instance knows nothing yet.
      long next = leastOf(events.subList(i + 1, events.size()));
      long reach = Math.min(context.currentWatermark(), next - 1);
      if (!rest.isEmpty() || !settle(event, reach, context, out)) {
        rest.add(event);
      }
    }
    long nowMs = context.timerService().currentProcessingTime();
    if (waiting.isOverdue(nowMs)) {
      for (CandidateEvent event : rest) {
        lose(event, context, out);
      }
      rest.clear();
    }
    if (rest.isEmpty()) {
      Long held = waiting.heldAt();
      if (held != null) {
        out.collect(Verdict.release(held));
      }
      waiting.clear();
    } else {
      waiting.keep(rest);
      hold(rest, context.currentWatermark(), out);
      context.timerService().registerProcessingTimeTimer(nowMs + RETRY_MS);
    }
  }

  private void hold(List<CandidateEvent> rest, long watermark, Collector<Verdict> out)
      throws Exception {
    long least = leastOf(rest);
    if (least <= watermark && waiting.heldAt() == null) {
      out.collect(Verdict.hold(least));
      waiting.holdAt(least);
    }
  }

  private static long leastOf(List<CandidateEvent> events) {
    return events.stream().mapToLong(CandidateEvent::hlc).min().orElse(Long.MAX_VALUE);
  }

  /** Publishes a gap for an event that cannot be used, as for a missing one. */
  private void lose(CandidateEvent event, ReadOnlyContext context, Collector<Verdict> out)
      throws Exception {
    unusable.inc();
    IntervalRef interval = Change.interval(event.decode());
    meters.of(interval.getPredicate()).coverageLost(1);
    out.collect(Verdict.of(SequenceCheck.lossOf(event)));
    refused(event, context);
  }

  /** Notes that the event's instance does not have it. */
  private void refused(CandidateEvent event, ReadOnlyContext context) throws Exception {
    IntervalRef interval = Change.interval(event.decode());
    searches.refused(interval, event.epoch());
    ActivePredicate predicate =
        predicates.get(interval.getPredicate(), context.getBroadcastState(PredicateBook.STATE));
    Instance kept = instances.get();
    if (predicate == null || kept == null || kept.isStale(event.epoch(), predicate)) {
      return;
    }
    DetectionSpec spec = predicate.spec();
    if (spec != null && spec.isWithin()) {
      kept.unpack(spec, settings.limits());
      kept.lost(event.hlc());
      instances.save(event.key(), predicate.name(), event.hlc(), kept, context.timerService());
    }
  }

  private static long newestEpoch(ReadOnlyBroadcastState<String, Long> epoch) throws Exception {
    Long newest = epoch.get(NEWEST);
    return newest == null ? 0 : newest;
  }
}
