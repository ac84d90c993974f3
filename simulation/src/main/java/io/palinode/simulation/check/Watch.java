package io.palinode.simulation.check;

/** A detector's watch: one version of the predicate, by one incarnation of a node, in one epoch. */
public record Watch(int node, long incarnation, long epoch, long predicateVersion) {}
