package io.palinode.orchestrator.rest.past;

import io.palinode.hvc.Hlc;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the history of a key needs to know of a rollback. Immutable.
 *
 * @param isBefore whether it had ended before the history begins
 * @param discarded null: nothing, or it is not needed
 */
public record RollbackSpan(long epoch, boolean isBefore, @Nullable DiscardedView discarded) {
  /**
   * Asks for the discarded writes only if they can be in the history.
   *
   * @param endedMicros null: it has not ended
   * @param fromHlc where the history begins
   */
  public static RollbackSpan of(
      long epoch,
      @Nullable Long endedMicros,
      long fromHlc,
      Supplier<@Nullable DiscardedView> discarded) {
    boolean isBefore = endedMicros != null && endedMicros < Hlc.micros(fromHlc);
    return new RollbackSpan(epoch, isBefore, isBefore ? null : discarded.get());
  }

  /** Those that discarded something in the history, by epoch. */
  public static List<DiscardedView> discarded(List<RollbackSpan> rollbacks) {
    return rollbacks.stream()
        .sorted(Comparator.comparingLong(RollbackSpan::epoch))
        .map(RollbackSpan::discarded)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The epoch at the begin of the history. */
  public static long epochBefore(List<RollbackSpan> rollbacks) {
    long first = rollbacks.stream().mapToLong(RollbackSpan::epoch).min().orElse(1) - 1;
    return rollbacks.stream()
        .filter(RollbackSpan::isBefore)
        .mapToLong(RollbackSpan::epoch)
        .max()
        .orElse(first);
  }
}
