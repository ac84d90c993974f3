package io.palinode.orchestrator;

import java.util.List;
import java.util.stream.Stream;

/**
 * The violations of a predicate in one epoch that ask for a rollback and that no restore covers
 * yet, folded into one.
 *
 * @param ids the first {@link #IDS_MAX} of them
 * @param violate the least of theirs: a restore to before it covers all
 * @param last the greatest of theirs
 * @param target the least of theirs
 * @param touches the first {@link TouchingRollback#TOUCHES_MAX} instances
 */
record Demand(
    long epoch,
    String predicate,
    List<String> ids,
    long violate,
    long last,
    long target,
    List<Touch> touches) {
  static final int IDS_MAX = 64;

  /** In the order of epochs. */
  record Key(long epoch, String predicate) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byEpoch = Long.compare(epoch, other.epoch);
      return byEpoch != 0 ? byEpoch : predicate.compareTo(other.predicate);
    }
  }

  Key key() {
    return new Key(epoch, predicate);
  }

  /** Also of another predicate: then the first one's is the cause that a plan is booked under. */
  Demand fold(Demand other) {
    List<String> both =
        Stream.concat(ids.stream(), other.ids.stream()).distinct().limit(IDS_MAX).toList();
    List<Touch> instances =
        Stream.concat(touches.stream(), other.touches.stream())
            .distinct()
            .limit(TouchingRollback.TOUCHES_MAX)
            .toList();
    return new Demand(
        epoch,
        predicate,
        both,
        Math.min(violate, other.violate),
        Math.max(last, other.last),
        Math.min(target, other.target),
        instances);
  }
}
