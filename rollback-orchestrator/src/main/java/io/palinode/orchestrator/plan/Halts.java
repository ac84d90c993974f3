package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Abandon;
import io.palinode.wire.v1.Halted;

/**
 * What came in a plan's way: how often it was halted, what an operator said, and what it does
 * instead.
 *
 * @param attemptsBefore attempts that were over then: they do not count against the next ones
 * @param abandoned whether the plan only keeps what is there, since it could not be carried out
 * @param cancelled whether it does since nobody wants it any more, before anything was undone
 * @param answers of nodes, in the newest attempt
 * @param ending how an operator ends it without some node
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
