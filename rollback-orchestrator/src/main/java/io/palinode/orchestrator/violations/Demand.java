package io.palinode.orchestrator.violations;

import io.palinode.hvc.HvcCodec;
import io.palinode.wire.v1.Moment;
import io.palinode.wire.v1.Violation;
import io.palinode.wire.v1.Witness;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Violations of one predicate and epoch that ask for a rollback and are in no restore. Immutable.
 * Violations from before a deletion or a policy without rollback form a separate demand.
 *
 * @param since the first version of the predicate from which on all versions ask for rollbacks; 0:
 *     unknown
 * @param ids the first {@link #IDS_MAX} of them
 * @param violate the least of theirs: a restore to before it covers all
 * @param last the greatest of theirs
 * @param target the least of theirs
 * @param touches the first {@link TouchingRollback#TOUCHES_MAX} instances
 * @param witnesses when the witnesses began, each at its node; {@link #WITNESSES_MAX} + 1: not all.
 *     Empty if only the control log holds the demand
 */
public record Demand(
    long epoch,
    String predicate,
    long since,
    List<String> ids,
    long violate,
    long last,
    long target,
    List<TouchedInstance> touches,
    Set<Moment> witnesses) {
  static final int IDS_MAX = 64;
  public static final int WITNESSES_MAX = 1_000;

  private Set<Moment> bothWitnesses(Demand other) {
    if (hasTooManyWitnesses() || witnesses.containsAll(other.witnesses)) {
      return witnesses;
    }
    return Stream.concat(witnesses.stream(), other.witnesses.stream())
        .distinct()
        .limit(WITNESSES_MAX + 1L)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** In the order of epochs. */
  record Key(long epoch, String predicate, long since) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparingLong(Key::epoch)
            .thenComparing(Key::predicate)
            .thenComparingLong(Key::since);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  Key key() {
    return new Key(epoch, predicate, since);
  }

  public static Set<Moment> witnesses(Violation violation) {
    return violation.getWitnessesList().stream()
        .map(Demand::beginning)
        .distinct()
        .limit(WITNESSES_MAX + 1L)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * The start of a witness at its node. An unreadable start is at {@link Long#MAX_VALUE}, so no
   * write matches it.
   */
  private static Moment beginning(Witness witness) {
    Moment.Builder began = Moment.newBuilder().setNode(witness.getNode());
    try {
      began.setHlc(HvcCodec.decode(witness.getStart().toByteArray()).get(witness.getNode()));
    } catch (IllegalArgumentException | IndexOutOfBoundsException unreadable) {
      began.setHlc(Long.MAX_VALUE);
    }
    return began.build();
  }

  public boolean hasTooManyWitnesses() {
    return witnesses.size() > WITNESSES_MAX;
  }

  /**
   * The part after a safe point; the same object if that is all. {@code last} must be after the
   * safe point.
   */
  Demand after(long safePoint) {
    return violate > safePoint
        ? this
        : new Demand(
            epoch,
            predicate,
            since,
            ids,
            safePoint + 1,
            last,
            Math.max(target, safePoint),
            touches,
            witnesses);
  }

  /** Both demands as one. With two predicates, the plan is recorded under this one's. */
  public Demand fold(Demand other) {
    List<String> both =
        Stream.concat(ids.stream(), other.ids.stream()).distinct().limit(IDS_MAX).toList();
    List<TouchedInstance> instances =
        Stream.concat(touches.stream(), other.touches.stream())
            .distinct()
            .limit(TouchingRollback.TOUCHES_MAX)
            .toList();
    return new Demand(
        epoch,
        predicate,
        since,
        both,
        Math.min(violate, other.violate),
        Math.max(last, other.last),
        Math.min(target, other.target),
        instances,
        bothWitnesses(other));
  }
}
