package io.palinode.orchestrator;

import io.palinode.wire.v1.HeldNoMore;
import io.palinode.wire.v1.LetStand;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Violations that open no plan.
 *
 * @param rejects the request that an operator has rejected; 0: the budget is spent, until {@code
 *     toHlc}, or {@code held}
 * @param held they were there before anyone watched (ADR 0025)
 * @param bindings with {@code held}: of these instances; none: of any
 */
public record LetStanding(
    String predicate, long fromHlc, long toHlc, long rejects, boolean held, Set<String> bindings) {
  public LetStanding {
    bindings = Set.copyOf(bindings);
  }

  static LetStanding of(LetStand record) {
    return new LetStanding(
        record.getPredicate(),
        record.getFromHlc(),
        record.getToHlc(),
        record.getRejects(),
        record.getHeld(),
        Set.copyOf(record.getBindingsList()));
  }

  /** Whether a violation at that time opens no plan; of what was {@code held}, one may. */
  boolean includes(String other, long hlc) {
    return !held && predicate.equals(other) && fromHlc <= hlc && hlc <= toHlc;
  }

  public boolean isForBudget() {
    return rejects == 0 && !held;
  }

  /** Whether it was there before anyone watched, so that any cut may hold it. */
  boolean holds(String other, String binding) {
    return held && predicate.equals(other) && (bindings.isEmpty() || bindings.contains(binding));
  }

  /** Without these instances; null: nothing is left. Of all, when none are named. */
  @Nullable LetStanding without(HeldNoMore ended) {
    if (!held || !predicate.equals(ended.getPredicate())) {
      return this;
    }
    if (bindings.isEmpty() || ended.getBindingsCount() == 0) {
      return bindings.isEmpty() && ended.getBindingsCount() == 0 ? null : this;
    }
    Set<String> left = new HashSet<>(bindings);
    ended.getBindingsList().forEach(left::remove);
    return left.isEmpty() ? null : new LetStanding(predicate, fromHlc, toHlc, rejects, true, left);
  }

  LetStanding upTo(long hlc) {
    return new LetStanding(predicate, fromHlc, Math.min(toHlc, hlc), rejects, held, bindings);
  }
}
