package io.palinode.detection;

import io.palinode.hvc.Grade;
import io.palinode.hvc.Hvc;
import java.util.List;

/**
 * Candidates that make a clause true, in the order of terms, pairwise concurrent; or the replicas
 * of a variable that have diverged.
 *
 * @param first before it, none of them held: the least own-node start; or since when they are apart
 * @param violate the first moment at which all hold: the greatest own-node start; with {@code for},
 *     at which all have held for that long; or at which replicas were apart for long enough
 */
public record Witness(
    int clause, List<Candidate> candidates, Grade grade, long first, long violate) {
  public Witness {
    candidates = List.copyOf(candidates);
  }

  /** Of intervals. */
  public Witness(int clause, List<Candidate> candidates, Grade grade) {
    this(
        clause,
        candidates,
        grade,
        first(candidates),
        candidates.stream().mapToLong(c -> c.interval().start().own()).max().orElseThrow());
  }

  /** The least own-node start. */
  public static long first(List<Candidate> candidates) {
    return candidates.stream().mapToLong(c -> c.interval().start().own()).min().orElseThrow();
  }

  /** The first known end of its intervals, at the node where it ended; 0 while all are open. */
  public long ended() {
    long ended = Long.MAX_VALUE;
    for (Candidate candidate : candidates) {
      Hvc end = candidate.interval().end();
      ended = end == null ? ended : Math.min(ended, end.own());
    }
    return ended == Long.MAX_VALUE ? 0 : ended;
  }
}
