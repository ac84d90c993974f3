package io.palinode.orchestrator.request;

import org.jspecify.annotations.Nullable;

/**
 * A rollback whose effect an operator has seen and can now start. Immutable.
 *
 * @param id its name
 * @param request the rollback, with the writes to undo known by now
 * @param effect the latest effect
 * @param before the effect that the operator saw first; null: {@code effect} is the first
 */
public record PlannedRollback(
    String id, RollbackRequest request, Effect effect, @Nullable Effect before) {
  /**
   * After the first reports of nodes.
   *
   * @param asked the operator's request; nodes have now named its writes, or all writes are undone
   */
  public static PlannedRollback of(String id, RollbackRequest asked, Effect effect) {
    Seeds seeds = effect.isOfSome() ? Seeds.of(effect.witnesses()) : Seeds.ALL;
    RollbackRequest request = asked.with(seeds).planned(effect.target()).named(id);
    return new PlannedRollback(id, request, effect, null);
  }

  /** The same request with its latest effect. */
  public PlannedRollback again(Effect now) {
    return new PlannedRollback(id, request, now, before == null ? effect : before);
  }
}
