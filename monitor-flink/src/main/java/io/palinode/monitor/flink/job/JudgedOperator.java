package io.palinode.monitor.flink.job;

import io.palinode.hvc.Epsilon;
import io.palinode.monitor.flink.Verdict;
import io.palinode.monitor.judgement.JudgedPace;
import io.palinode.monitor.judgement.JudgementReports;
import io.palinode.wire.v1.Judged;
import io.palinode.wire.v1.JudgementReport;
import io.palinode.wire.v1.ViolationRecord;
import java.io.Serial;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Hands records on as they come, and after them how far judgement has come: {@code Judged(W)} once
 * the watermark is past W, at most every {@link #PERIOD_MS}, and within that time; every {@link
 * #HURRIED_MS} until a violation is judged. Every {@link #REPORT_MS} it repeats the last one with
 * what judgement waits for, so a job that publishes nothing does not run. Runs in one subtask. (An
 * operator, not a function: a function without keys gets neither watermarks nor timers.)
 */
final class JudgedOperator extends AbstractStreamOperator<byte[]>
    implements OneInputStreamOperator<Verdict, byte[]> {
  static final long HURRIED_MS = 20;
  static final long PERIOD_MS = 250;
  static final long REPORT_MS = 1_000;

  @Serial private static final long serialVersionUID = 1L;

  private static final ListStateDescriptor<Long> HOLDS =
      new ListStateDescriptor<>("holds", Types.LONG);

  /** Text, as an operator must be serializable. */
  private final String epsilon;

  private final String open;

  @SuppressWarnings("NullAway.Init") // Set by initializeState, which Flink calls first.
  private transient JudgedPace pace;

  @SuppressWarnings("NullAway.Init") // As above.
  private transient ListState<Long> saved;

  @SuppressWarnings("NullAway.Init") // Set by open, which Flink calls next.
  private transient JudgementReports reports;

  /** When the next timer of {@link #sayWhatIsDue} ends. */
  private transient long timerAtMs;

  /**
   * @param open as {@link DetectionJobConfig#open}
   */
  JudgedOperator(Epsilon epsilon, String open) {
    this.epsilon = epsilon.toString();
    this.open = open;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    pace = new JudgedPace(HURRIED_MS, PERIOD_MS);
    saved = context.getOperatorStateStore().getListState(HOLDS);
    for (long hold : saved.get()) {
      pace.hold(hold);
    }
  }

  @Override
  public void open() throws Exception {
    super.open();
    long nowMs = getProcessingTimeService().getCurrentProcessingTime();
    reports = new JudgementReports(nowMs, epsilon, open);
    timerAtMs = Long.MAX_VALUE;
    reportAt(nowMs + REPORT_MS);
  }

  private void reportAt(long atMs) {
    var unused = getProcessingTimeService().registerTimer(atMs, this::report);
  }

  private void report(long atMs) {
    long nowMs = getProcessingTimeService().getCurrentProcessingTime();
    Judged judged =
        Judged.newBuilder()
            .setHlc(Math.max(0, pace.published()))
            .setReport(reports.at(nowMs, pace.heldAt()))
            .build();
    output.collect(new StreamRecord<>(encode(judged)));
    // Not from atMs: after a long stop one report is enough.
    reportAt(nowMs + REPORT_MS);
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    saved.update(pace.holds());
  }

  @Override
  public void processElement(StreamRecord<Verdict> element) throws Exception {
    Verdict verdict = element.getValue();
    switch (verdict.kind()) {
      case RECORD -> {
        pace.await(verdict.hlc());
        output.collect(new StreamRecord<>(verdict.record()));
      }
      case HOLD -> pace.hold(verdict.hlc());
      case RELEASE -> {
        pace.release(verdict.hlc());
        sayWhatIsDue();
      }
      case REACHED ->
          reports.learn((int) verdict.hlc(), JudgementReport.parseFrom(verdict.record()));
    }
  }

  @Override
  public void processWatermark(Watermark mark) throws Exception {
    super.processWatermark(mark);
    // The end of a bounded input is no time.
    if (mark.getTimestamp() != Long.MAX_VALUE) {
      // One less: state found with an unknown origin counts once every node is past its start.
      pace.watermark(mark.getTimestamp() - 1);
      sayWhatIsDue();
    }
  }

  private void sayWhatIsDue() {
    long nowMs = getProcessingTimeService().getCurrentProcessingTime();
    long judged = pace.due(nowMs);
    if (judged != JudgedPace.NOTHING) {
      output.collect(new StreamRecord<>(encode(Judged.newBuilder().setHlc(judged).build())));
    } else if (pace.isPending() && pace.nextAtMs() < timerAtMs) {
      // A violation may make it earlier. The later timer then does no harm.
      timerAtMs = pace.nextAtMs();
      var unused = getProcessingTimeService().registerTimer(timerAtMs, this::onPeriodOver);
    }
  }

  private void onPeriodOver(long atMs) {
    if (atMs == timerAtMs) {
      timerAtMs = Long.MAX_VALUE;
    }
    sayWhatIsDue();
  }

  private static byte[] encode(Judged judged) {
    return ViolationRecord.newBuilder().setJudged(judged).build().toByteArray();
  }
}
