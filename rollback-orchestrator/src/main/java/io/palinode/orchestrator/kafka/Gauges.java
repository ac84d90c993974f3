package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.SequentialSpan;
import io.palinode.orchestrator.Status;
import io.palinode.orchestrator.alert.AlertDispatcher;
import io.palinode.orchestrator.metrics.OrchestratorMetrics;
import java.util.Map;
import java.util.function.Supplier;

/** The gauges of an orchestrator, each read from its status when it is scraped. */
final class Gauges {
  private static final double MICROS_PER_SECOND = 1_000_000.0;

  private final OrchestratorMetrics metrics;
  private final Supplier<Status> status;

  Gauges(OrchestratorMetrics metrics, Supplier<Status> status) {
    this.metrics = metrics;
    this.status = status;
  }

  void add(AlertDispatcher dispatcher, KafkaWatch kafka) {
    addRollbacks();
    addGate();
    metrics.gauge("palinode.predicates", "Predicates in force", () -> now().predicates());
    metrics.gauge(
        "palinode.orchestrator.up", "1 while it works", () -> now().failure() == null ? 1 : 0);
    metrics.gauge(
        "palinode.orchestrator.troubled",
        "1 while it waits for Kafka or cannot write a record; the status says which",
        () -> now().trouble() == null ? 0 : 1);
    metrics.gauge(
        "palinode.kafka.silent.seconds",
        "Since when Kafka does not answer the orchestrator; 0 while it does",
        kafka::silentSeconds);
    Map.of("console", dispatcher.consoleCounts(), "webhook", dispatcher.webhookCounts())
        .forEach(
            (destination, counts) -> {
              metrics.alerts("sent", destination, counts, c -> c.sent());
              metrics.alerts("failed", destination, counts, c -> c.failed());
              metrics.alerts("dropped", destination, counts, c -> c.dropped());
            });
  }

  private void addRollbacks() {
    metrics.gauge("palinode.epoch", "The epoch in force", () -> now().epoch());
    metrics.gauge(
        "palinode.plan.open", "1 while a plan is open", () -> now().openEpoch() == null ? 0 : 1);
    metrics.gauge(
        "palinode.safe.point.lag.seconds",
        "The safe point's age",
        () -> now().safePointLagMicros() / MICROS_PER_SECOND);
    metrics.gauge(
        "palinode.coverage.held",
        "1 while lost coverage, or an abandoned rollback, holds the safe point",
        () -> now().heldAt() == null ? 0 : 1);
    metrics.gauge(
        "palinode.sequential.keys",
        "Keys that clients are asked to use with R + W > N",
        () -> now().sequential().stream().flatMap(s -> s.keys().stream()).distinct().count());
    metrics.gauge(
        "palinode.sequential.all",
        "1 while that is all keys",
        () -> now().sequential().stream().anyMatch(SequentialSpan::isAll) ? 1 : 0);
  }

  private void addGate() {
    metrics.gauge(
        "palinode.approvals.waiting",
        "Rollbacks that wait for an operator's approval",
        () -> now().gate().approvals().size());
    metrics.gauge(
        "palinode.budgets.spent",
        "Predicates whose budget of rollbacks is spent: their violations stand",
        () ->
            now().gate().budgets().stream()
                .filter(account -> account.standsUntilMicros() > 0)
                .count());
  }

  private Status now() {
    return status.get();
  }
}
