package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.StoreKey;
import org.jspecify.annotations.Nullable;

/**
 * What a plan does instead of going to its target by the window-logs, as its newest attempt tells.
 *
 * @param snapshot whose cut the target is, and by which nodes go there; null: none
 * @param triedSnapshot this attempt, or one before, was to go to one: which keys differ on nodes
 *     since then, window-logs need not tell
 * @param restarted the target cannot be reached: what is there is kept, and programs begin anew
 * @param tooLarge a node could not do that attempt by single keys: they are too many to be held, or
 *     it does not know any more which they are
 * @param rounds so many attempts only went on to compare what others had left, or were to undo only
 *     some: none of these is a step back
 * @param rest the slice from which the next of these goes on; null: all is compared
 */
public record Fallback(
    @Nullable SnapshotCut snapshot,
    boolean triedSnapshot,
    boolean restarted,
    boolean tooLarge,
    int rounds,
    @Nullable StoreKey rest) {
  static final Fallback NONE = new Fallback(null, false, false, false, 0, null);

  /** With a new attempt. */
  Fallback with(Restore asked) {
    SnapshotCut cut =
        asked.hasSnapshot()
            ? new SnapshotCut(
                asked.getSnapshot().getId(), asked.getSnapshot().getNumber(), asked.getTarget())
            : null;
    int more = asked.hasFromSlice() || asked.hasAffected() ? 1 : 0;
    return new Fallback(
        cut, triedSnapshot || cut != null, asked.getRestart(), false, rounds + more, null);
  }

  /**
   * An operator has said how to go on: rounds before that are among the attempts before. What is
   * abandoned is no restart any more: programs go on.
   */
  Fallback answered(boolean abandon) {
    return new Fallback(snapshot, triedSnapshot, restarted && !abandon, tooLarge, 0, rest);
  }

  Fallback with(Restored answer) {
    boolean anyTooLarge = tooLarge || answer.getTooLarge();
    return new Fallback(snapshot, triedSnapshot, restarted, anyTooLarge, rounds, rest);
  }

  Fallback with(Converged answer) {
    return answer.hasRest()
        ? new Fallback(snapshot, triedSnapshot, restarted, tooLarge, rounds, answer.getRest())
        : this;
  }
}
