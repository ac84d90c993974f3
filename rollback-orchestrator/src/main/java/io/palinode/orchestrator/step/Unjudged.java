package io.palinode.orchestrator.step;

import io.palinode.orchestrator.state.MachineState;
import io.palinode.orchestrator.violations.Coverage;
import io.palinode.wire.v1.CoverageLost;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A span whose violations may be unknown.
 *
 * @param fromHlc 0: unknown
 * @param toHlc {@link Long#MAX_VALUE}: it is not over
 * @param reason in words
 */
public record Unjudged(long fromHlc, long toHlc, String reason) {
  /** The limit of gaps shown one by one. */
  public static final int MAX = 100;

  /** The latest unacknowledged gaps, latest first; one last entry sums up the others. */
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
    return new Unjudged(loss.getFromHlc(), Coverage.end(loss), reason(loss));
  }

  private static String reason(CoverageLost loss) {
    if (!loss.getCause().isEmpty()) {
      return loss.getCause();
    }
    boolean wasKilled = loss.getLastSequence() == 0;
    return wasKilled
        ? "node %d was killed, and may not have published all candidates".formatted(loss.getNode())
        : "%d candidates of node %d did not arrive"
            .formatted(loss.getLastSequence() - loss.getFirstSequence() + 1, loss.getNode());
  }
}
