package io.palinode.orchestrator.kafka;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.Alert;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.DetectionLatency;
import io.palinode.orchestrator.Event;
import io.palinode.orchestrator.OutcomeChange;
import io.palinode.orchestrator.Outcomes;
import io.palinode.orchestrator.ReceivedViolation;
import io.palinode.orchestrator.RecentKeys;
import io.palinode.orchestrator.history.ApiHistory;
import io.palinode.orchestrator.history.ViolationAlert;
import io.palinode.orchestrator.metrics.OrchestratorMetrics;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Grades;
import io.palinode.orchestrator.violations.SeenViolations;
import io.palinode.orchestrator.violations.SeenViolations.Novelty;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.Violation;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The effects of the machine's commands: history, counts, appends and alerts. Called by the
 * machine's thread. Replayed records enter the history but not the counts.
 */
final class Effects {
  /** More records than a restarted job repeats. */
  static final int SEEN_MAX = 100_000;

  static final int LOSSES_MAX = 10_000;

  private static final Logger log = LoggerFactory.getLogger(Effects.class);

  private final SeenViolations seen = new SeenViolations(SEEN_MAX);
  private final RecentKeys<String> phantoms = new RecentKeys<>(SEEN_MAX);
  private final RecentKeys<CoverageLost> losses = new RecentKeys<>(LOSSES_MAX);
  private final ApiHistory memory;
  private final DetectionLatency latency;
  private final OrchestratorMetrics metrics;
  private final Consumer<ControlRecord> append;
  private final Consumer<Alert> alert;
  private final Consumer<Alert> alertAgain;

  /** The id of the newest violation, if an earlier epoch or incarnation reported it; else empty. */
  private String repeated = "";

  Effects(
      ApiHistory memory,
      DetectionLatency latency,
      OrchestratorMetrics metrics,
      Consumer<ControlRecord> append,
      Consumer<Alert> alert,
      Consumer<Alert> alertAgain) {
    this.memory = memory;
    this.latency = latency;
    this.metrics = metrics;
    this.append = append;
    this.alert = alert;
    this.alertAgain = alertAgain;
  }

  /** Records an event before the machine reads it; false: the machine does not need it. */
  boolean admit(Event event, boolean isLive) {
    if (event instanceof Event.ViolationFound found) {
      return admit(found, isLive);
    }
    if (event instanceof Event.PhantomFound phantom) {
      admit(phantom, isLive);
      return false;
    }
    if (event instanceof Event.ViolationEnded ended) {
      memory.ended(ended.id(), ended.hlc());
      return false;
    }
    if (event instanceof Event.ControlRead read) {
      memory.read(read.record());
    } else if (event instanceof Event.CoverageLost lost) {
      return admit(lost, isLive);
    }
    return true;
  }

  /** Carries out a command in the state that it led to. */
  void carryOut(Command command, MachineState state, boolean isLive) {
    if (command instanceof Command.Append c) {
      append.accept(c.record());
    } else if (command instanceof Command.Raise c) {
      alert.accept(c.alert());
    } else if (command instanceof Command.Classified c) {
      classified(c);
    } else if (command instanceof Command.Took c) {
      took(c.record(), state, isLive);
    } else if (command instanceof Command.Review) {
      review(state, isLive);
    }
  }

  /** An alert of a report whose grade and outcome are known is new only after an end. */
  private void classified(Command.Classified classified) {
    Violation violation = classified.violation();
    Command.Outcome before = memory.classified(violation, classified.outcome());
    Alert due = classified.alert();
    if (due == null) {
      return;
    }
    ReceivedViolation received = memory.episode(violation.getId());
    boolean isKnown = violation.getId().equals(repeated) && classified.outcome() == before;
    (isKnown ? alertAgain : alert)
        .accept(received == null ? due : ViolationAlert.of(due, received));
  }

  private void review(MachineState state, boolean isLive) {
    for (OutcomeChange change : memory.review(state)) {
      Violation violation = change.violation().violation();
      log.info(
          "violation={} predicate={} outcome={} before={}",
          violation.getId(),
          violation.getPredicate(),
          change.violation().outcome(),
          change.before());
      Alert changed = isLive ? Outcomes.alert(state, change) : null;
      if (changed != null) {
        alert.accept(ViolationAlert.of(changed, change.violation()));
      }
    }
  }

  private boolean admit(Event.ViolationFound found, boolean isLive) {
    Violation violation = found.violation();
    Grade before = seen.grade(violation.getId());
    if (seen.admit(violation) == Novelty.REPEAT) {
      metrics.repeat();
      return false;
    }
    Novelty novelty = memory.received(violation, found.atMicros(), !isLive);
    repeated = novelty == Novelty.REPEAT ? violation.getId() : "";
    if (isLive && novelty == Novelty.NEW) {
      metrics.violation(violation.getPredicate(), Grades.of(violation.getGrade()));
    }
    if (isLive && novelty != Novelty.REPEAT) {
      measure(violation, before, found.atMicros());
    }
    return true;
  }

  private void admit(Event.PhantomFound phantom, boolean isLive) {
    if (phantoms.admit(phantom.id())) {
      memory.phantom(phantom.id());
      if (isLive) {
        metrics.phantom(phantom.predicate());
      }
    }
  }

  /** Whether the gap is new. A restarted job repeats its gaps. */
  private boolean admit(Event.CoverageLost lost, boolean isLive) {
    boolean isNew = losses.admit(lost.loss());
    if (isNew && isLive) {
      metrics.coverageLost();
    }
    return isNew;
  }

  private void measure(Violation violation, @Nullable Grade before, long atMicros) {
    long micros = Math.max(0, atMicros - Hlc.micros(violation.getViolate()));
    Grade now = Grades.of(violation.getGrade());
    for (Grade grade : Grade.values()) {
      boolean isReached = now.atLeast(grade) && (before == null || !before.atLeast(grade));
      if (isReached) {
        latency.record(grade, micros);
        metrics.detected(grade, micros);
      }
    }
  }

  private void took(ControlRecord record, MachineState state, boolean isLive) {
    Rollback rollback = memory.took(record);
    if (rollback == null) {
      return;
    }
    if (isLive) {
      memory.shown(state.log().plans().serving().shown(rollback));
    }
    boolean ends = record.hasResume() || record.hasHalted();
    if (isLive && ends) {
      metrics.ended(rollback);
    }
    if (isLive) {
      metrics.sequentialEntered(
          record.getResume().getSequentialList().stream()
              .filter(span -> span.getSinceMicros() == record.getAtMicros())
              .count());
    }
    boolean isOperators = record.hasRetry() || record.hasAbandon();
    if (record.hasPlanOpened() || record.hasRestore() || isOperators || ends) {
      log.info(
          "plan={} state={} predicate={} target={} attempts={} undone={} replayed={} {}",
          rollback.epoch(),
          rollback.state(),
          rollback.predicate(),
          Hlc.format(rollback.target()),
          rollback.attempts(),
          rollback.undoneWrites(),
          !isLive,
          rollback.haltReason());
    }
  }
}
