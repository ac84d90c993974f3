package io.palinode.orchestrator.policy;

/** A version of a predicate in force; {@code yaml} is its canonical form. */
public record AppliedPredicate(String name, long version, String yaml) {}
