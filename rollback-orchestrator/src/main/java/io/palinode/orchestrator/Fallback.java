package io.palinode.orchestrator;

import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Restored;

/**
 * What a plan does instead, as its newest attempt tells.
 *
 * @param tooLarge a node could not do that attempt for want of memory
 */
public record Fallback(boolean tooLarge) {
  static final Fallback NONE = new Fallback(false);

  /** A new attempt. */
  Fallback with(Restore asked) {
    return NONE;
  }

  Fallback with(Restored answer) {
    return new Fallback(tooLarge || answer.getTooLarge());
  }
}
