package io.palinode.orchestrator.state;

import io.palinode.orchestrator.plan.Plan;
import io.palinode.orchestrator.violations.SequentialSpan;
import io.palinode.orchestrator.violations.TouchedInstance;
import io.palinode.orchestrator.violations.TouchingRollback;
import io.palinode.wire.v1.Restore;
import io.palinode.wire.v1.Resume;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rollbacks by instance, from which {@code whenFrequent} decides. Immutable.
 *
 * @param touching the latest rollbacks by violations and their instances, oldest first; with the
 *     open plan's, once it restores
 * @param sequential the sequential spans of the last {@code Resume}, in force or remembered
 */
public record FrequentRollbacks(List<TouchingRollback> touching, List<SequentialSpan> sequential) {
  public static final FrequentRollbacks NONE = new FrequentRollbacks(List.of(), List.of());

  /** The instances of the plan of {@code ofEpoch}; null if no violation asked for it. */
  public @Nullable TouchingRollback of(long ofEpoch) {
    return touching.stream().filter(r -> r.epoch() == ofEpoch).findFirst().orElse(null);
  }

  /** The sequential spans in force. */
  public List<SequentialSpan> sequentialAt(long nowMicros) {
    return sequential.stream().filter(span -> span.isInForce(nowMicros)).toList();
  }

  /** With the instances of a plan, as its first restore names them. */
  FrequentRollbacks restored(Plan plan, Restore restore) {
    List<TouchedInstance> touches =
        restore.getTouchedList().stream().map(TouchedInstance::of).toList();
    if (touches.isEmpty() || of(plan.epoch()) != null) {
      return this;
    }
    boolean inVain =
        touches.stream()
            .anyMatch(
                touch ->
                    sequential.stream()
                        .anyMatch(s -> s.isInForce(plan.openedMicros()) && s.covers(touch)));
    var last = new TouchingRollback(plan.epoch(), plan.openedMicros(), touches, inVain);
    long tooMany = Math.max(0, touching.size() + 1 - Plans.PAST_MAX);
    return new FrequentRollbacks(
        Stream.concat(touching.stream().skip(tooMany), Stream.of(last)).toList(), sequential);
  }

  /** A plan that discarded no write does not count as a rollback of the violations it found. */
  FrequentRollbacks resumed(Plan done, Resume resume) {
    List<TouchingRollback> counting =
        touching.stream().filter(r -> !done.isGivenUp() || r.epoch() != done.epoch()).toList();
    return new FrequentRollbacks(
        counting, resume.getSequentialList().stream().map(SequentialSpan::of).toList());
  }
}
