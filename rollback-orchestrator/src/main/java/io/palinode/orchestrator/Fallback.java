package io.palinode.orchestrator;

import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;
import org.jspecify.annotations.Nullable;

/**
 * What a plan does instead of going to its target by the window-logs, as its newest attempt tells.
 *
 * @param snapshot whose cut the target is, and by which nodes go there; null: none
 * @param triedSnapshot this attempt, or one before, was to go to one: which keys differ on nodes
 *     since then, window-logs need not tell
 * @param restarted the target cannot be reached: what is there is kept, and programs begin anew
 * @param tooLarge a node could not do that attempt for want of memory
 */
public record Fallback(
    @Nullable SnapshotCut snapshot, boolean triedSnapshot, boolean restarted, boolean tooLarge) {
  static final Fallback NONE = new Fallback(null, false, false, false);

  /** With a new attempt. */
  Fallback with(Restore asked) {
    SnapshotCut cut =
        asked.hasSnapshot()
            ? new SnapshotCut(
                asked.getSnapshot().getId(), asked.getSnapshot().getNumber(), asked.getTarget())
            : null;
    return new Fallback(cut, triedSnapshot || cut != null, asked.getRestart(), false);
  }

  Fallback with(Restored answer) {
    return new Fallback(snapshot, triedSnapshot, restarted, tooLarge || answer.getTooLarge());
  }
}
