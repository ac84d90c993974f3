package io.palinode.orchestrator;

/** A violation with its present outcome, and the outcome that it had before. */
public record OutcomeChange(ReceivedViolation violation, Command.Outcome before) {}
