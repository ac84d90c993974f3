package io.palinode.orchestrator;

import java.util.List;
import java.util.stream.Stream;

/**
 * The violations of one epoch that ask for a rollback and that no restore covers yet, folded into
 * one.
 *
 * @param predicate of the first of them: the cause that a plan is booked under
 * @param ids the first {@link #IDS_MAX} of them
 * @param violate the least of theirs: a restore to before it covers all
 * @param target the least of theirs
 */
record Demand(long epoch, String predicate, List<String> ids, long violate, long target) {
  static final int IDS_MAX = 64;

  Demand fold(Demand other) {
    List<String> both =
        Stream.concat(ids.stream(), other.ids.stream()).distinct().limit(IDS_MAX).toList();
    return new Demand(
        epoch, predicate, both, Math.min(violate, other.violate), Math.min(target, other.target));
  }
}
