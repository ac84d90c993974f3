package io.palinode.orchestrator.step;

import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.v1.CoverageLost;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A span in which violations may have been missed: whether there were any is not known.
 *
 * @param fromHlc 0: not known since when
 * @param reason in words
 */
public record Unjudged(long fromHlc, long toHlc, String reason) {
  /** So many gaps are shown one by one. */
  public static final int MAX = 100;

  /** The latest gaps that are not acknowledged, the latest first; one entry sums up the rest. */
  public static List<Unjudged> of(MachineState state) {
    Coverage coverage = state.log().coverage();
    List<CoverageLost> gaps = new ArrayList<>();
    coverage.latestUnacknowledged().forEach(gap -> gaps.add(gap.loss()));
    gaps.addAll(state.found().unrecorded());
    Collections.reverse(gaps);
    List<Unjudged> shown = new ArrayList<>(gaps.stream().limit(MAX).map(Unjudged::of).toList());
    long further = state.unacknowledgedGaps() - shown.size();
    if (further > 0) {
      Coverage.Span all = coverage.unacknowledged();
      shown.add(new Unjudged(all.from(), all.to(), "%d further coverage gaps".formatted(further)));
    }
    return shown;
  }

  public static Unjudged of(CoverageLost loss) {
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
