package io.palinode.detection;

import io.palinode.hvc.Interval;
import org.jspecify.annotations.Nullable;

/**
 * An interval in which a term held at a node.
 *
 * @param version names the store version that opened it, equal on all replicas ("store/key@clock");
 *     empty when unknown
 * @param origin the node that accepted that version first; null when unknown
 * @param payload carried through to the witness untouched (the monitor keeps values and the writer
 *     here)
 */
public record Candidate(
    int clause,
    int term,
    CandidateId id,
    Interval interval,
    String version,
    @Nullable Integer origin,
    byte[] payload) {}
