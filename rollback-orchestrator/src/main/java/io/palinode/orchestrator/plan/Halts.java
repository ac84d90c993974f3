package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.Halted;

/**
 * What a plan does when nodes cannot carry it out, and the operator's answers.
 *
 * @param attemptsBefore attempts before the latest answer; they do not count against the limit
 * @param answers of nodes, in the newest attempt
 * @param ending how an operator ends the plan without some node
 */
public record Halts(int attemptsBefore, Fallback fallback, Answers answers, Ending ending) {
  static final Halts NONE = new Halts(0, Fallback.NONE, Answers.NONE, Ending.NONE);

  Halts halted(Halted halted) {
    Abandon then = halted.hasThen() ? halted.getThen() : null;
    return new Halts(attemptsBefore, fallback, Answers.NONE, ending.asking(then));
  }

  Halts retried(int attempts) {
    return new Halts(attempts, fallback.answered(), Answers.NONE, Ending.NONE);
  }

  Halts abandoned(int attempts, Abandon abandon) {
    return new Halts(attempts, fallback.answered(), Answers.NONE, Ending.answered(abandon));
  }

  Halts asCancelled() {
    return new Halts(attemptsBefore, fallback, Answers.NONE, Ending.NONE);
  }

  Halts with(Fallback other) {
    return new Halts(attemptsBefore, other, answers, ending);
  }

  Halts with(Answers other) {
    return new Halts(attemptsBefore, fallback, other, ending);
  }
}
