package io.palinode.cli.bench.paper;

import io.palinode.benchmarks.rollback.RollbackBenchmark.Steps;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.kafka.Orchestrator;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.request.RollbackRequest;
import io.palinode.voldemort.server.SystemMicros;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A rollback by hand. */
public final class OperatorRollback {
  private OperatorRollback() {}

  /**
   * Returns what it took, once it has ended. Throws {@link IllegalStateException} if it was refused
   * or does not resume.
   */
  public static Steps run(Orchestrator orchestrator, long target) throws InterruptedException {
    try {
      // A node's clock may be some milliseconds ahead, and no rollback goes into the future.
      while (new SystemMicros().getAsLong() <= Hlc.micros(target)) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      Rollback now =
          orchestrator.operator().run(RollbackRequest.to(UUID.randomUUID().toString(), target), "");
      while (!now.isEnded()) {
        TimeUnit.MILLISECONDS.sleep(1);
        Rollback later = orchestrator.rollback(now.epoch());
        now = later == null ? now : later;
      }
      if (now.state() != Rollback.State.RESUMED) {
        throw new IllegalStateException("the rollback is " + now.state() + ": " + now.haltReason());
      }
      return new Steps(
          now.times().pauseMicros() / 1e3,
          now.times().judgementMicros() / 1e3,
          now.times().restoreMicros() / 1e3,
          now.times().convergeMicros() / 1e3);
    } catch (RefusedException e) {
      throw new IllegalStateException("the rollback was refused: " + e.getMessage(), e);
    }
  }
}
