package io.palinode.demo.watch;

import io.palinode.orchestrator.LatencySnapshot;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.predicate.Predicate;
import io.palinode.wire.v1.Violation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The orchestrator that watches a run, in this process or elsewhere. */
public interface Watcher {
  /** A rollback that has ended. */
  record EndedRollback(long openedMicros, long endedMicros) {
    public long totalMicros() {
      return Math.max(0, endedMicros - openedMicros);
    }
  }

  /** Those that it watches. */
  List<Predicate> predicates();

  /** What is measured of latency from now on is the run's. */
  void beginRun();

  /** The HLC up to which everything is judged. */
  long judged();

  /** The latest that are remembered, also from before the run. */
  List<Violation> violations();

  /** The latest that are remembered, also from before the run. */
  List<EndedRollback> rollbacks();

  /** Of violations since {@link #beginRun} that were at least possible. */
  LatencySnapshot latency();

  /** When which keys were sequential; also empty if the orchestrator does not report it. */
  List<SequentialSpan> sequentialSpans();

  /** What clients are asked to use with R + W > N now, in words; empty: nothing. */
  String sequentialNow();

  /** When versions were first accepted; null: the candidates cannot be read here. */
  @Nullable FirstAcceptances acceptances() throws InterruptedException;
}
