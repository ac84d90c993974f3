package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.Halted;

/**
 * What stopped a plan: its halts, the operator's answers, and what it does instead.
 *
 * @param attemptsBefore attempts before the latest answer; they do not count against the limit
 * @param abandoned the plan keeps all data, because nodes could not carry it out
 * @param cancelled the plan keeps all data, because an operator cancelled it before a restore
 * @param answers of nodes, in the newest attempt
 * @param ending how an operator ends the plan without some node
 */
public record Halts(
    int count,
    int attemptsBefore,
    boolean abandoned,
    boolean cancelled,
    Fallback fallback,
    Answers answers,
    Ending ending) {
  static final Halts NONE = new Halts(0, 0, false, false, Fallback.NONE, Answers.NONE, Ending.NONE);

  Halts halted(Halted halted) {
    Abandon then = halted.hasThen() ? halted.getThen() : null;
    return new Halts(
        count + 1,
        attemptsBefore,
        abandoned,
        cancelled,
        fallback,
        Answers.NONE,
        ending.asking(then));
  }

  Halts retried(int attempts) {
    return new Halts(
        count, attempts, false, cancelled, fallback.answered(false), Answers.NONE, Ending.NONE);
  }

  Halts abandoned(int attempts, Abandon word) {
    return new Halts(
        count,
        attempts,
        true,
        cancelled,
        fallback.answered(true),
        Answers.NONE,
        Ending.answered(word));
  }

  Halts asCancelled() {
    return new Halts(count, attemptsBefore, false, true, fallback, Answers.NONE, Ending.NONE);
  }

  Halts with(Fallback other) {
    return new Halts(count, attemptsBefore, abandoned, cancelled, other, answers, ending);
  }

  Halts with(Answers other) {
    return new Halts(count, attemptsBefore, abandoned, cancelled, fallback, other, ending);
  }
}
