package io.palinode.simulation.store;

/** How many nodes a cluster has, and how many of them have, answer and acknowledge a key. */
public record Replication(int nodes, int replicas, int reads, int writes) {}
