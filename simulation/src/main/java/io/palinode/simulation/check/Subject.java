package io.palinode.simulation.check;

/** The term of an instance that a key is about. */
public record Subject(String instance, int term) {}
