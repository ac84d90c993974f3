package io.palinode.monitor.flink.job;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Sender;
import io.palinode.monitor.flink.KeptBackSerializer;
import io.palinode.monitor.flink.NoticeSerializer;
import io.palinode.monitor.flink.PositionSerializer;
import io.palinode.monitor.judgement.NodesRead;
import io.palinode.monitor.sequence.KeptBack;
import io.palinode.monitor.sequence.SearchCheck;
import io.palinode.monitor.sequence.SequenceCheck;
import io.palinode.monitor.sequence.SequenceCheck.Position;
import io.palinode.monitor.sequence.SkippedNodes;
import io.palinode.monitor.sequence.WholeCheck;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.JudgementReport;
import java.io.Serial;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Passes openings and closings on, in each partition's order, in the task of the source. Candidates
 * after a sequence hole wait until the node explains it. The side output gets restarts, searches,
 * new epochs and gaps, and once per second how far each node has been read. Progress ends here,
 * since the watermark contains it.
 */
final class SequenceFunction extends ProcessFunction<CandidateEvent, CandidateEvent>
    implements CheckpointedFunction {
  static final OutputTag<Notice> NOTICES = new OutputTag<>("notices", NoticeSerializer.TYPE);

  @Serial private static final long serialVersionUID = 1L;

  // A partition may move to another subtask on restore, so every subtask gets all positions. What
  // it holds of partitions that are not its own is never ahead of their reader's.
  private static final ListStateDescriptor<Position> POSITIONS =
      new ListStateDescriptor<>("positions", PositionSerializer.INSTANCE);

  // Every subtask gets all states here too. The first subtask alone writes those of partitions
  // without a record since the restore: a node may be down, so no reader receives its records.
  private static final ListStateDescriptor<KeptBack.State> KEPT_BACK =
      new ListStateDescriptor<>("behind-holes", KeptBackSerializer.INSTANCE);

  private static final ListStateDescriptor<String> BROKEN =
      new ListStateDescriptor<>("searches-broken", Types.STRING);

  private static final ListStateDescriptor<String> UNEXPLAINED =
      new ListStateDescriptor<>("holes-unexplained", Types.STRING);

  private final int nodes;

  @SuppressWarnings("NullAway.Init") // Set by initializeState, which Flink calls first.
  private transient SequenceCheck check;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient SkippedNodes skipped;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient SearchCheck searches;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient KeptBack keptBack;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient ListState<KeptBack.State> savedBack;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient ListState<Position> saved;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient ListState<String> savedBroken;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient WholeCheck wholes;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient ListState<String> savedUnexplained;

  @SuppressWarnings("NullAway.Init") // Set by open, which Flink calls next.
  private transient Counter repeats;

  /** By partition. */
  @SuppressWarnings("NullAway.Init") // As above.
  private transient Map<Integer, NodesRead> read;

  SequenceFunction(int nodes) {
    this.nodes = nodes;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    check = new SequenceCheck();
    searches = new SearchCheck();
    keptBack = new KeptBack();
    savedBack = context.getOperatorStateStore().getUnionListState(KEPT_BACK);
    keptBack.restore(savedBack.get());
    saved = context.getOperatorStateStore().getUnionListState(POSITIONS);
    check.restore(saved.get());
    skipped = new SkippedNodes(nodes, check, keptBack);
    savedBroken = context.getOperatorStateStore().getUnionListState(BROKEN);
    for (String broken : savedBroken.get()) {
      searches.restore(List.of(Sender.parse(broken)));
    }
    wholes = new WholeCheck();
    savedUnexplained = context.getOperatorStateStore().getUnionListState(UNEXPLAINED);
    for (String place : savedUnexplained.get()) {
      wholes.restore(Sender.parse(place));
    }
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    saved.update(List.copyOf(check.positions()));
    boolean isFirst = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
    savedBack.update(isFirst ? keptBack.states() : keptBack.statesObserved());
    savedBroken.update(searches.broken().stream().map(Sender::toString).toList());
    savedUnexplained.update(wholes.unexplained().stream().map(Sender::toString).toList());
  }

  /** Returns the notices that must precede the watermark; see {@link SkippedNodes#pass}. */
  List<Notice> pass(long watermark, Consumer<CandidateEvent> handOn) {
    List<Notice> notices = skipped.pass(watermark, handOn);
    notices.forEach(notice -> wholes.lost(notice.sender().channel()));
    return notices;
  }

  /** Whether a watermark would pass a record that may still come late. */
  boolean isWaiting() {
    return keptBack.isWaiting();
  }

  @Override
  public void open(OpenContext context) {
    repeats = getRuntimeContext().getMetricGroup().counter("candidatesRepeated");
    read = new HashMap<>();
  }

  @Override
  public void processElement(CandidateEvent event, Context context, Collector<CandidateEvent> out)
      throws Exception {
    reportReached(event, context);
    if (event.kind() == CandidateEvent.Kind.UNPROMISED) {
      return;
    }
    SequenceCheck.Outcome outcome = skipped.observe(event);
    for (Notice notice : outcome.notices()) {
      context.output(NOTICES, notice);
      if (notice.kind() == Notice.Kind.LOST) {
        searches.lost(event, CoverageLost.parseFrom(notice.body()));
        wholes.lost(event.channel());
      }
    }
    if (skipped.isSkipped(event.channel())) {
      return;
    }
    keptBack.observe(event, outcome.fresh(), out::collect);
    for (Notice notice : wholes.observe(event, outcome.fresh(), keptBack)) {
      context.output(NOTICES, notice);
    }
    if (!outcome.fresh()) {
      repeats.inc();
      return;
    }
    for (Notice notice : searches.observe(event)) {
      context.output(NOTICES, notice);
    }
  }

  private void reportReached(CandidateEvent event, Context context) {
    NodesRead ofPartition =
        read.computeIfAbsent(event.partition(), partition -> new NodesRead(nodes));
    long nowMs = context.timerService().currentProcessingTime();
    IntPredicate isSkipped = node -> skipped.isSkipped(new Channel(event.partition(), node));
    JudgementReport report = ofPartition.observe(event, nowMs, isSkipped);
    if (report != null) {
      context.output(NOTICES, Notice.reached(event, report));
    }
  }
}
