package io.palinode.orchestrator.plan;

import io.palinode.wire.v1.Converged;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import io.palinode.wire.v1.StoreKey;
import org.jspecify.annotations.Nullable;

/**
 * What a plan does when the window-logs cannot restore its target, in its newest attempt.
 *
 * @param snapshot the snapshot whose cut is the target; null: none
 * @param triedSnapshot this attempt or an earlier one used a snapshot, so window-logs may not name
 *     the keys that differ
 * @param tooLarge a node could not handle this attempt key by key: too many keys, or keys that it
 *     no longer knows
 * @param rounds attempts that only continued a comparison or undid only some writes; they are no
 *     step back
 * @param rest the slice from which the next comparison continues; null: all slices are compared
 */
public record Fallback(
    @Nullable SnapshotCut snapshot,
    boolean triedSnapshot,
    boolean tooLarge,
    int rounds,
    @Nullable StoreKey rest) {
  static final Fallback NONE = new Fallback(null, false, false, 0, null);

  /** At the start of an attempt. */
  Fallback with(Restore asked) {
    SnapshotCut cut =
        asked.hasSnapshot()
            ? new SnapshotCut(
                asked.getSnapshot().getId(), asked.getSnapshot().getNumber(), asked.getTarget())
            : null;
    int more = asked.hasFromSlice() || asked.hasAffected() ? 1 : 0;
    return new Fallback(cut, triedSnapshot || cut != null, false, rounds + more, null);
  }

  /** After an operator's answer. Earlier rounds no longer count. */
  Fallback answered() {
    return new Fallback(snapshot, triedSnapshot, tooLarge, 0, rest);
  }

  Fallback with(Restored answer) {
    boolean anyTooLarge = tooLarge || answer.getTooLarge();
    return new Fallback(snapshot, triedSnapshot, anyTooLarge, rounds, rest);
  }

  Fallback with(Converged answer) {
    return answer.hasRest()
        ? new Fallback(snapshot, triedSnapshot, tooLarge, rounds, answer.getRest())
        : this;
  }
}
