package io.palinode.orchestrator;

/**
 * Violations that open no plan.
 *
 * @param rejects the request that an operator has rejected; 0: the budget is spent, until {@code
 *     toHlc}
 */
public record LetStanding(String predicate, long fromHlc, long toHlc, long rejects) {
  boolean includes(String other, long hlc) {
    return predicate.equals(other) && fromHlc <= hlc && hlc <= toHlc;
  }

  public boolean isForBudget() {
    return rejects == 0;
  }

  LetStanding upTo(long hlc) {
    return new LetStanding(predicate, fromHlc, Math.min(toHlc, hlc), rejects);
  }
}
