package io.palinode.orchestrator;

import io.palinode.wire.v1.CoverageLost;

/**
 * A span in which violations may have been missed: whether there were any is not known.
 *
 * @param fromHlc 0: not known since when
 * @param reason in words
 */
public record Unjudged(long fromHlc, long toHlc, String reason) {
  static Unjudged of(CoverageLost loss) {
    return new Unjudged(loss.getFromHlc(), loss.getToHlc(), reason(loss));
  }

  private static String reason(CoverageLost loss) {
    if (!loss.getCause().isEmpty()) {
      return loss.getCause();
    }
    boolean wasKilled = loss.getLastSequence() == 0;
    return wasKilled
        ? "node %d ended without a word, and what it saw may not have been told"
            .formatted(loss.getNode())
        : "%d candidates of node %d did not arrive"
            .formatted(loss.getLastSequence() - loss.getFirstSequence() + 1, loss.getNode());
  }
}
