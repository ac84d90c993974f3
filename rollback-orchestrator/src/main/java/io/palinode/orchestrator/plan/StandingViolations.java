package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.HeldNoMore;
import io.palinode.wire.v1.LetStand;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Violations that open no plan.
 *
 * @param fromHlc the first; with {@code held}, the cut on which they stood
 * @param toHlc the last; with {@code held}, cuts before it may hold them
 * @param rejects the approval request that an operator rejected; 0: {@code held}, or the budget is
 *     spent until {@code toHlc}
 * @param held the instances held before the predicate was watched (ADR 0021)
 * @param bindings with {@code held}: the instances; empty: any instance
 */
public record StandingViolations(
    String predicate, long fromHlc, long toHlc, long rejects, boolean held, Set<String> bindings) {
  private static final long NO_END = Long.MAX_VALUE;

  public StandingViolations {
    bindings = Set.copyOf(bindings);
  }

  public static StandingViolations of(LetStand record) {
    return new StandingViolations(
        record.getPredicate(),
        record.getFromHlc(),
        record.getHeld() ? NO_END : record.getToHlc(),
        record.getRejects(),
        record.getHeld(),
        Set.copyOf(record.getBindingsList()));
  }

  /**
   * Whether a violation at {@code hlc} opens no plan. Violations of a {@code held} instance may
   * open one.
   */
  public boolean includes(String other, long hlc) {
    return !held && predicate.equals(other) && fromHlc <= hlc && hlc <= toHlc;
  }

  public boolean isForBudget() {
    return rejects == 0 && !held;
  }

  /**
   * Whether the instance held before it was watched, so that the cut at {@code hlc} may hold it.
   */
  public boolean holds(String other, String binding, long hlc) {
    return held
        && hlc < toHlc
        && predicate.equals(other)
        && (bindings.isEmpty() || bindings.contains(binding));
  }

  /** The instances that no longer hold, and the others. A record without bindings ends all. */
  public Stream<StandingViolations> after(HeldNoMore ended) {
    long before = ended.getBefore();
    boolean isOfThese =
        held
            && predicate.equals(ended.getPredicate())
            && bindings.isEmpty() == (ended.getBindingsCount() == 0);
    // A late record may be of an earlier span that had ended.
    boolean isEarlier = before > 0 && before <= fromHlc;
    if (!isOfThese || isEarlier) {
      return Stream.of(this);
    }
    Set<String> over = new HashSet<>(bindings);
    over.retainAll(ended.getBindingsList());
    Set<String> left = new HashSet<>(bindings);
    left.removeAll(over);
    boolean isAnyOver = before > 0 && (bindings.isEmpty() || !over.isEmpty());
    return Stream.concat(
        isAnyOver ? Stream.of(with(over).upTo(before)) : Stream.of(),
        left.isEmpty() ? Stream.of() : Stream.of(with(left)));
  }

  /** After a plan. If its cut may hold these instances, they may hold from then on. */
  public StandingViolations after(Plan done) {
    boolean again = held && done.target() < toHlc && done.heldBefore() != toHlc;
    return again
        ? new StandingViolations(predicate, fromHlc, NO_END, rejects, true, bindings)
        : this;
  }

  public StandingViolations upTo(long hlc) {
    return new StandingViolations(
        predicate, fromHlc, Math.min(toHlc, hlc), rejects, held, bindings);
  }

  private StandingViolations with(Set<String> some) {
    return new StandingViolations(predicate, fromHlc, toHlc, rejects, held, some);
  }
}
