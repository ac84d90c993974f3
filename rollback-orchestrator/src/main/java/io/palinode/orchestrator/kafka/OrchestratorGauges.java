package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.alert.AlertDispatcher;
import io.palinode.orchestrator.health.NodeReports;
import io.palinode.orchestrator.metrics.OrchestratorMetrics;
import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.step.GateStatus;
import io.palinode.orchestrator.violations.FoundViolations;
import io.palinode.orchestrator.violations.SequentialSpan;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The gauges of the machine's state and of the alerts' delivery. */
final class OrchestratorGauges {
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  private final OrchestratorMetrics metrics;

  OrchestratorGauges(
      OrchestratorMetrics metrics, Supplier<MachineState> state, LongSupplier wallMicros) {
    this.metrics = metrics;
    Supplier<List<SequentialSpan>> sequential =
        () -> state.get().log().frequent().sequentialAt(wallMicros.getAsLong());
    metrics.gauge("palinode.epoch", "The epoch in force", () -> state.get().log().epoch());
    metrics.gauge(
        "palinode.plan.open",
        "1 while a plan is open",
        () -> state.get().log().plan() == null ? 0 : 1);
    addHolds(state);
    metrics.gauge(
        "palinode.sequential.keys",
        "Keys that clients are asked to use with R + W > N",
        () -> sequential.get().stream().flatMap(s -> s.keys().stream()).distinct().count());
    metrics.gauge(
        "palinode.sequential.all",
        "1 while that is all keys",
        () -> sequential.get().stream().anyMatch(SequentialSpan::isAll) ? 1 : 0);
  }

  private void addHolds(Supplier<MachineState> state) {
    metrics.gauge(
        "palinode.coverage.gaps",
        "Coverage gaps that are not acknowledged",
        () -> state.get().unacknowledgedGaps());
    metrics.gauge(
        "palinode.coverage.held",
        "1 while a coverage gap, or an abandoned rollback, holds the safe point",
        () -> state.get().heldAt() == FoundViolations.NOT_HELD ? 0 : 1);
    metrics.gauge(
        "palinode.approvals.waiting",
        "Rollbacks that wait for an operator's approval",
        () -> state.get().log().gates().requests().size());
    metrics.gauge(
        "palinode.budgets.spent",
        "Predicates whose budget of rollbacks is spent: their violations stand",
        () ->
            GateStatus.of(state.get()).budgets().stream()
                .filter(account -> account.standsUntilMicros() > 0)
                .count());
  }

  void addReports(int nodes, NodeReports reports, LongSupplier wallMicros) {
    metrics.nodeGauge(
        "palinode.store.free.bytes",
        "Free space of the node's fullest disk, as it reports; NaN: not known",
        nodes,
        reports::freeBytes);
    metrics.nodeGauge(
        "palinode.clock.offset.seconds",
        "How far the node's clock is ahead of the others; NaN: not known",
        nodes,
        reports::offsetSeconds);
    metrics.clockPairs(
        nodes,
        (node, other, most) -> reports.pairSeconds(node, other, most, wallMicros.getAsLong()));
    metrics.gauge(
        "palinode.epsilon.seconds",
        "The greatest difference of clocks that nodes assume; NaN: infinite, or not known",
        reports::epsilonSeconds);
  }

  void addWork(IntSupplier predicates, BooleanSupplier works, BooleanSupplier isTroubled) {
    metrics.gauge("palinode.predicates", "Predicates in force", predicates::getAsInt);
    metrics.gauge(
        "palinode.orchestrator.up", "1 while it runs", () -> works.getAsBoolean() ? 1 : 0);
    metrics.gauge(
        "palinode.orchestrator.troubled",
        "1 while it waits for Kafka or cannot write a record; the status says which",
        () -> isTroubled.getAsBoolean() ? 1 : 0);
  }

  void addSafePointLag(LongSupplier micros) {
    metrics.gauge(
        "palinode.safe.point.lag.seconds",
        "The safe point's age",
        () -> micros.getAsLong() / MICROS_PER_SECOND);
  }

  void add(AlertDispatcher dispatcher, Logs logs) {
    logs.lags().forEach(metrics::lag);
    dispatcher
        .counts()
        .forEach(
            (destination, counts) -> {
              metrics.alerts("sent", destination, counts, c -> c.sent());
              metrics.alerts("failed", destination, counts, c -> c.failed());
              metrics.alerts("dropped", destination, counts, c -> c.dropped());
              metrics.alerts("retried", destination, counts, c -> c.retried());
            });
  }
}
