package io.palinode.demo;

import io.palinode.hvc.Grade;
import io.palinode.launcher.ControlPlane;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.session.RolledBackException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Violates two warm-up predicates before the measurement, so that the code of detection and
 * rollback is compiled.
 */
final class ViolationWarmUp {
  private static final int VIOLATIONS = 100;
  private static final int ROLLBACKS = 3;
  private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();

  private static final String ALERTED = "demo-warm-up-alerted";
  private static final String ROLLED_BACK = "demo-warm-up-rolled-back";
  private static final String PREDICATE =
      """
      apiVersion: palinode.io/v1
      kind: Predicate
      metadata: {name: %1$s}
      spec:
        forEach: {pair: "{k}"}
        violation:
          - all:
              - {var: "%1$s_{k}_0", equals: "1"}
              - {var: "%1$s_{k}_1", equals: "1"}
        onViolation: {rollback: %2$s, alert: []}
      """;

  private final Orchestrator orchestrator;
  private final Store store;
  private int pairs;

  ViolationWarmUp(ControlPlane plane, Store store) {
    this.orchestrator = plane.orchestrator();
    this.store = store;
  }

  /** Some seconds. When violations do not come, it gives up: a cold start is no failure. */
  void run(boolean rollbacksToo) {
    violate(
        ALERTED,
        "none",
        VIOLATIONS,
        () -> (int) orchestrator.latency().snapshot(Grade.POSSIBLE).count());
    if (rollbacksToo) {
      violate(ROLLED_BACK, "{}", ROLLBACKS, this::rollbacksEnded);
    }
  }

  private void violate(String predicate, String rollback, int times, IntSupplier seen) {
    var unused = orchestrator.apply(PREDICATE.formatted(predicate, rollback), predicate);
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    int from = seen.getAsInt();
    for (int wanted = from + 1; wanted <= from + times; wanted++) {
      while (seen.getAsInt() < wanted
          && deadline - System.nanoTime() > 0
          && !Thread.currentThread().isInterrupted()) {
        writePair(predicate);
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    orchestrator.delete(predicate);
  }

  /** A new one each time: before the nodes have learned of the predicate, a pair says nothing. */
  private void writePair(String predicate) {
    String pair = predicate + "_" + pairs++;
    try {
      store.put(pair + "_0", "1");
      store.put(pair + "_1", "1");
    } catch (RolledBackException expected) {
      // The next pair starts in the new epoch.
    }
  }

  private int rollbacksEnded() {
    return (int)
        orchestrator.rollbacks(Integer.MAX_VALUE).stream().filter(Rollback::isEnded).count();
  }
}
