package io.palinode.orchestrator.request;

import org.jspecify.annotations.Nullable;

/**
 * What an operator was told that a rollback would do, and can have done.
 *
 * @param id names it
 * @param wish does that and nothing else: it knows by now what is to be undone
 * @param effect as it would be now
 * @param before what the operator was told first; null: this is it
 */
public record PlannedRollback(
    String id, RollbackRequest wish, Effect effect, @Nullable Effect before) {
  /**
   * @param asked which writes were asked for; nodes know now which those are, or that it is all
   */
  public static PlannedRollback of(String id, RollbackRequest asked, Effect effect) {
    Seeds seeds = effect.isOfSome() ? Seeds.of(effect.witnesses()) : Seeds.ALL;
    return new PlannedRollback(id, asked.with(seeds).named(id), effect, null);
  }

  /** The same wish, looked at anew. */
  public PlannedRollback again(Effect now) {
    return new PlannedRollback(id, wish, now, before == null ? effect : before);
  }
}
