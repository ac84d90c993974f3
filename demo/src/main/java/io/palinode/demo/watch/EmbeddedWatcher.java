package io.palinode.demo.watch;

import io.palinode.hvc.Grade;
import io.palinode.launcher.ControlPlane;
import io.palinode.orchestrator.LatencySnapshot;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.predicate.Predicate;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.v1.Violation;
import java.util.List;

/** The control plane of this process. */
public final class EmbeddedWatcher implements Watcher {
  private static final int KEPT_MAX = 10_000;

  private final ControlPlane plane;
  private final List<Predicate> predicates;

  /**
   * @param predicates that {@code plane} watches
   */
  public EmbeddedWatcher(ControlPlane plane, List<Predicate> predicates) {
    this.plane = plane;
    this.predicates = List.copyOf(predicates);
  }

  @Override
  public List<Predicate> predicates() {
    return predicates;
  }

  @Override
  public void beginRun() {
    plane.orchestrator().latency().reset();
  }

  @Override
  public long judged() {
    return plane.orchestrator().status().judged();
  }

  @Override
  public List<Violation> violations() {
    return plane.orchestrator().violations(KEPT_MAX).stream()
        .map(ReceivedViolation::violation)
        .toList();
  }

  @Override
  public List<EndedRollback> rollbacks() {
    return plane.orchestrator().rollbacks(KEPT_MAX).stream()
        .filter(Rollback::isEnded)
        .map(rollback -> new EndedRollback(rollback.openedMicros(), rollback.endedMicros()))
        .toList();
  }

  @Override
  public LatencySnapshot latency() {
    return plane.orchestrator().latency().snapshot(Grade.POSSIBLE);
  }

  @Override
  public List<SequentialSpan> sequentialSpans() {
    return plane.orchestrator().history().sequential(KEPT_MAX);
  }

  @Override
  public String sequentialNow() {
    List<SequentialSpan> spans = plane.orchestrator().status().sequential();
    if (spans.isEmpty()) {
      return "";
    }
    long keys = spans.stream().flatMap(span -> span.keys().stream()).distinct().count();
    return spans.stream().anyMatch(SequentialSpan::isAll)
        ? ", all keys R+W>N"
        : ", %d keys R+W>N".formatted(keys);
  }

  @Override
  public FirstAcceptances acceptances() throws InterruptedException {
    return FirstAcceptances.read(KafkaSettings.of(plane.kafkaAddress()));
  }
}
