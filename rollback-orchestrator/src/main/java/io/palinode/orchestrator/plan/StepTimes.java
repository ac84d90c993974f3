package io.palinode.orchestrator.plan;

/**
 * How long the steps of a rollback took, in microseconds. Repeated steps add up.
 *
 * @param pauseMicros from the opening to the last node's pause
 * @param judgementMicros from there to the first restore, while the target was not judged
 */
public record StepTimes(
    long pauseMicros, long judgementMicros, long restoreMicros, long convergeMicros) {
  static final StepTimes NONE = new StepTimes(0, 0, 0, 0);

  StepTimes paused(long pause, long judgement) {
    return new StepTimes(Math.max(0, pause), Math.max(0, judgement), restoreMicros, convergeMicros);
  }

  StepTimes restored(long more) {
    return new StepTimes(
        pauseMicros, judgementMicros, restoreMicros + Math.max(0, more), convergeMicros);
  }

  StepTimes converged(long more) {
    return new StepTimes(
        pauseMicros, judgementMicros, restoreMicros, convergeMicros + Math.max(0, more));
  }
}
