package io.palinode.detection;

import java.util.List;

/**
 * The end of a violation that was reported: the first of its intervals ended, or the replicas of a
 * variable agree again.
 *
 * @param witnesses of the report, in its order; with the clause they are its {@link ViolationId}
 * @param hlc at the node where the interval ended, or where the last replica came to agree
 */
public record Ended(int clause, List<CandidateId> witnesses, long hlc) {
  public Ended {
    witnesses = List.copyOf(witnesses);
  }
}
