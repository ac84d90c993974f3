package io.palinode.detection;

/** Names an interval of a node: the sequence of the event that opened it. */
public record CandidateId(int node, long incarnation, long sequence) {}
