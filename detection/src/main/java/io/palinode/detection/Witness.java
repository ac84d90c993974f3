package io.palinode.detection;

import io.palinode.hvc.Grade;
import java.util.List;

/** Candidates that make a clause true, in the order of terms, pairwise concurrent. */
public record Witness(int clause, List<Candidate> candidates, Grade grade) {
  public Witness {
    candidates = List.copyOf(candidates);
  }

  /** The least own-node start: before it, none of them held. */
  public long first() {
    return candidates.stream().mapToLong(c -> c.interval().start().own()).min().orElseThrow();
  }

  /** The greatest own-node start: the first moment at which all hold. */
  public long violate() {
    return candidates.stream().mapToLong(c -> c.interval().start().own()).max().orElseThrow();
  }
}
