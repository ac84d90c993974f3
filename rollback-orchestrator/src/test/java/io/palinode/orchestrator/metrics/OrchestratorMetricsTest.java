package io.palinode.orchestrator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.palinode.hvc.Grade;
import org.junit.jupiter.api.Test;

class OrchestratorMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void manyPredicatesShareALabel() {
    try (OrchestratorMetrics metrics = new OrchestratorMetrics(registry)) {
      for (int i = 0; i < OrchestratorMetrics.PREDICATE_LABELS_MAX + 100; i++) {
        metrics.violation("p" + i, Grade.POSSIBLE);
      }
      metrics.violation("p0", Grade.POSSIBLE);
      assertThat(registry.get("palinode.violations").tag("predicate", "p0").counter().count())
          .isEqualTo(2);
      assertThat(registry.get("palinode.violations").tag("predicate", "other").counter().count())
          .isEqualTo(100);
    }
  }

  @Test
  void afterCloseTheRegistryIsEmpty() {
    OrchestratorMetrics metrics = new OrchestratorMetrics(registry);
    metrics.violation("p", Grade.POSSIBLE);
    metrics.gauge("palinode.epoch", "The epoch", () -> 1);
    metrics.close();
    assertThat(registry.getMeters()).isEmpty();
  }
}
