package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.alert.AlertSettings;
import io.palinode.orchestrator.policy.RollbackSettings;
import io.palinode.orchestrator.rest.RestSettings;
import io.palinode.predicate.PredicateLimits;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import java.time.Duration;

/**
 * The configuration of an orchestrator. Immutable.
 *
 * @param fallback the effect of a target that a node cannot reach: {@code halt}, which leaves nodes
 *     paused until an operator acts
 * @param predicates limits of applied predicates
 * @param startMax how long the replay of the logs may take
 */
public record OrchestratorConfig(
    KafkaSettings kafka,
    Topics topics,
    RollbackSettings rollback,
    String fallback,
    AlertSettings alerts,
    RestSettings rest,
    PredicateLimits predicates,
    Duration startMax) {
  static final String HALT = "halt";

  public OrchestratorConfig {
    if (!fallback.equals(HALT)) {
      throw new IllegalArgumentException(
          "the fallback must be halt, nothing else is supported yet: fallback='" + fallback + "'");
    }
    if (startMax.toMillis() < 1) {
      throw new IllegalArgumentException("startMax must be at least 1 ms: startMax=" + startMax);
    }
  }

  /** With defaults: the API on a free port of the loopback interface. */
  public static OrchestratorConfig of(String bootstrapServers, Topics topics, int nodes) {
    return of(KafkaSettings.of(bootstrapServers), topics, nodes);
  }

  /** With defaults: the API on a free port of the loopback interface. */
  public static OrchestratorConfig of(KafkaSettings kafka, Topics topics, int nodes) {
    return new OrchestratorConfig(
        kafka,
        topics,
        RollbackSettings.of(nodes),
        HALT,
        AlertSettings.DEFAULT,
        RestSettings.DEFAULT,
        PredicateLimits.DEFAULT,
        Duration.ofMinutes(2));
  }

  public OrchestratorConfig withRollback(RollbackSettings settings) {
    return new OrchestratorConfig(
        kafka, topics, settings, fallback, alerts, rest, predicates, startMax);
  }

  public OrchestratorConfig withFallback(String newFallback) {
    return new OrchestratorConfig(
        kafka, topics, rollback, newFallback, alerts, rest, predicates, startMax);
  }

  public OrchestratorConfig withAlerts(AlertSettings settings) {
    return new OrchestratorConfig(
        kafka, topics, rollback, fallback, settings, rest, predicates, startMax);
  }

  public OrchestratorConfig withRest(RestSettings settings) {
    return new OrchestratorConfig(
        kafka, topics, rollback, fallback, alerts, settings, predicates, startMax);
  }

  public OrchestratorConfig withPredicates(PredicateLimits limits) {
    return new OrchestratorConfig(
        kafka, topics, rollback, fallback, alerts, rest, limits, startMax);
  }

  public OrchestratorConfig withStartMax(Duration max) {
    return new OrchestratorConfig(kafka, topics, rollback, fallback, alerts, rest, predicates, max);
  }

  /** 0: any free port. */
  public OrchestratorConfig withHttpPort(int port) {
    return withRest(rest.withPort(port));
  }
}
