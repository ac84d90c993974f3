package io.palinode.store.control;

import io.palinode.retroscope.snapshot.RollbackTimes;
import io.palinode.retroscope.snapshot.RollbackTimes.Span;
import io.palinode.store.binding.MissedEpochs;
import io.palinode.store.binding.SequentialKeys;
import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Resume;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node's state of the control log, and the duties that it has begun. Immutable.
 *
 * @param epoch the newest one that was resumed; 0 before the first plan
 * @param resumed the content of the record that opened the epoch
 * @param ended the rollbacks that have ended
 * @param safePoint 0 before the first
 * @param plan the open plan, or null
 * @param acting false while the log is read for the first time
 * @param joined whether the log has this incarnation's {@code NodeJoined}
 * @param rejected the latest requests for approval that were rejected: an approval that is read
 *     later opens no plan
 * @param begun duties that were handed out and are still owed
 */
public record ControlState(
    int node,
    int nodes,
    long incarnation,
    long epoch,
    Resumed resumed,
    RollbackTimes ended,
    long safePoint,
    @Nullable Plan plan,
    boolean acting,
    boolean joined,
    List<Long> rejected,
    Set<Duty> begun) {
  private static final int REJECTED_MAX = 1_000;

  public ControlState {
    if (node < 0 || node >= nodes) {
      throw new IllegalArgumentException("node must be in [0, " + (nodes - 1) + "]: node=" + node);
    }
    rejected = List.copyOf(rejected);
    begun = Set.copyOf(begun);
  }

  /**
   * The content of the newest {@code Resume}.
   *
   * @param clock the epoch is later than this on every node
   * @param missed of epochs up to this one
   */
  record Resumed(
      long target,
      long sequentialUntilMicros,
      List<SequentialKeys> sequential,
      long clock,
      MissedEpochs missed) {
    static final Resumed NEVER = new Resumed(0, 0, List.of(), 0, MissedEpochs.NONE);
  }

  static ControlState initial(int node, int nodes, long incarnation) {
    return new ControlState(
        node,
        nodes,
        incarnation,
        0,
        Resumed.NEVER,
        RollbackTimes.NONE,
        0,
        null,
        false,
        false,
        List.of(),
        Set.of());
  }

  /** Whether the node refuses requests because of a plan. */
  public boolean isFenced() {
    return plan != null && plan.isFenced();
  }

  /** All rollbacks, the open one too. */
  public RollbackTimes rollbacks() {
    return rollbacks(RollbackTimes.NOT_ENDED);
  }

  private RollbackTimes rollbacks(long endOfOpen) {
    Span open = plan == null ? null : plan.halfUndone(endOfOpen);
    return open == null ? ended : ended.with(open);
  }

  /** Whether these are all nodes of the cluster. */
  boolean isAll(Set<Integer> some) {
    return IntStream.range(0, nodes).allMatch(some::contains);
  }

  ControlState with(Plan newPlan) {
    return new ControlState(
        node,
        nodes,
        incarnation,
        epoch,
        resumed,
        ended,
        safePoint,
        newPlan,
        acting,
        joined,
        rejected,
        begun);
  }

  ControlState withSafePoint(long hlc) {
    long newest = Math.max(safePoint, hlc);
    return new ControlState(
        node,
        nodes,
        incarnation,
        epoch,
        resumed,
        ended,
        newest,
        plan,
        acting,
        joined,
        rejected,
        begun);
  }

  ControlState withRejected(long request) {
    List<Long> longer =
        Stream.concat(
                rejected.stream().skip(Math.max(0, rejected.size() + 1 - REJECTED_MAX)),
                Stream.of(request))
            .toList();
    return new ControlState(
        node,
        nodes,
        incarnation,
        epoch,
        resumed,
        ended,
        safePoint,
        plan,
        acting,
        joined,
        longer,
        begun);
  }

  ControlState resumed(ControlRecord record) {
    Resume resume = record.getResume();
    Resumed newest =
        new Resumed(
            resume.getTarget(),
            resume.getSequentialUntilMicros(),
            SequentialKeys.of(resume),
            resume.getClock(),
            resumed.missed().with(record.getEpoch(), resume, resume.getTarget() < safePoint));
    return new ControlState(
        node,
        nodes,
        incarnation,
        record.getEpoch(),
        newest,
        rollbacks(resume.getClock()),
        safePoint,
        null,
        acting,
        joined,
        rejected,
        begun);
  }

  ControlState acting(Set<Duty> nowBegun) {
    return new ControlState(
        node,
        nodes,
        incarnation,
        epoch,
        resumed,
        ended,
        safePoint,
        plan,
        true,
        joined,
        rejected,
        nowBegun);
  }

  ControlState withJoined() {
    return new ControlState(
        node,
        nodes,
        incarnation,
        epoch,
        resumed,
        ended,
        safePoint,
        plan,
        acting,
        true,
        rejected,
        begun);
  }
}
