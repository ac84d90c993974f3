package io.palinode.orchestrator.violations;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The demands of one key, folded and one by one, as each can be settled separately. Immutable.
 *
 * @param all folded
 * @param each the first {@link Demand#IDS_MAX} violations, and one folded demand of all later ones
 */
public record DemandParts(Demand all, List<Demand> each) {
  static DemandParts of(Demand first) {
    return new DemandParts(first, List.of(first));
  }

  /** With one more violation, or a repeat. */
  DemandParts and(Demand one) {
    for (int i = 0; i < each.size(); i++) {
      if (each.get(i).ids().equals(one.ids())) {
        return folding(i, one);
      }
    }
    return each.size() > Demand.IDS_MAX
        ? folding(Demand.IDS_MAX, one)
        : new DemandParts(all.fold(one), Stream.concat(each.stream(), Stream.of(one)).toList());
  }

  private DemandParts folding(int place, Demand one) {
    List<Demand> more = new ArrayList<>(each);
    more.set(place, each.get(place).fold(one));
    return new DemandParts(all.fold(one), List.copyOf(more));
  }

  /** The demands that are not settled; null: none. */
  @Nullable DemandParts without(Predicate<Demand> settled) {
    return each.stream().noneMatch(settled)
        ? this
        : of(each.stream().filter(settled.negate()).toList());
  }

  /** The demands after a safe point; null: none. */
  @Nullable DemandParts after(long safePoint) {
    return all.violate() > safePoint
        ? this
        : of(
            each.stream()
                .filter(demand -> demand.last() > safePoint)
                .map(demand -> demand.after(safePoint))
                .toList());
  }

  private static @Nullable DemandParts of(List<Demand> left) {
    return left.stream().reduce(Demand::fold).map(all -> new DemandParts(all, left)).orElse(null);
  }
}
