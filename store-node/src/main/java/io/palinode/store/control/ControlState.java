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
 * @param self the node whose duties these are
 * @param log the state that the log describes, equal on all nodes
 * @param run what this incarnation has done
 */
public record ControlState(Self self, Log log, Run run) {
  /** One incarnation of a node of a cluster. */
  record Self(int node, int nodes, long incarnation) {
    Self {
      if (node < 0 || node >= nodes) {
        throw new IllegalArgumentException(
            "node must be in [0, " + (nodes - 1) + "]: node=" + node);
      }
    }
  }

  /**
   * The state that the log describes.
   *
   * @param epoch the newest one that was resumed; 0 before the first plan
   * @param resumed the content of the record that opened the epoch
   * @param ended the rollbacks that have ended
   * @param safePoint 0 before the first
   * @param plan the open plan, or null
   * @param rejected the latest requests for approval that were rejected: an approval that is read
   *     later opens no plan
   */
  record Log(
      long epoch,
      Resumed resumed,
      RollbackTimes ended,
      long safePoint,
      @Nullable Plan plan,
      List<Long> rejected) {
    private static final int REJECTED_MAX = 1_000;

    Log {
      rejected = List.copyOf(rejected);
    }

    private Log with(Plan next) {
      return new Log(epoch, resumed, ended, safePoint, next, rejected);
    }

    private Log withSafePoint(long hlc) {
      return new Log(epoch, resumed, ended, Math.max(safePoint, hlc), plan, rejected);
    }

    private Log withRejected(long request) {
      long tooMany = Math.max(0, rejected.size() + 1 - REJECTED_MAX);
      List<Long> longer =
          Stream.concat(rejected.stream().skip(tooMany), Stream.of(request)).toList();
      return new Log(epoch, resumed, ended, safePoint, plan, longer);
    }

    private Log resumed(ControlRecord record) {
      Resume resume = record.getResume();
      Resumed newest =
          new Resumed(
              plan != null && plan.undidNothing()
                  ? Math.max(resume.getTarget(), resume.getClock())
                  : resume.getTarget(),
              resume.getSequentialUntilMicros(),
              SequentialKeys.of(resume),
              resume.getClock(),
              resumed.missed().with(record.getEpoch(), resume, resume.getTarget() < safePoint));
      return new Log(
          record.getEpoch(), newest, rollbacks(resume.getClock()), safePoint, null, rejected);
    }

    /** All rollbacks, the open one too. */
    private RollbackTimes rollbacks(long endOfOpen) {
      Span open = plan == null ? null : plan.halfUndone(endOfOpen);
      return open == null ? ended : ended.with(open);
    }
  }

  /**
   * The content of the newest {@code Resume}.
   *
   * @param target up to which the data stands: if the plan undid nothing, the last HLC before the
   *     epoch
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

  /**
   * What this incarnation has done.
   *
   * @param acting false while the log is read for the first time
   * @param joined whether the log has this incarnation's {@code NodeJoined}
   * @param begun duties that were handed out and are still owed
   */
  record Run(boolean acting, boolean joined, Set<Duty> begun) {
    Run {
      begun = Set.copyOf(begun);
    }
  }

  static ControlState initial(int node, int nodes, long incarnation) {
    return new ControlState(
        new Self(node, nodes, incarnation),
        new Log(0, Resumed.NEVER, RollbackTimes.NONE, 0, null, List.of()),
        new Run(false, false, Set.of()));
  }

  public int node() {
    return self.node();
  }

  int nodes() {
    return self.nodes();
  }

  public long epoch() {
    return log.epoch();
  }

  /** The open plan; null: none. */
  public @Nullable Plan plan() {
    return log.plan();
  }

  /** Whether the node refuses requests because of a plan. */
  public boolean isFenced() {
    Plan plan = plan();
    return plan != null && plan.isFenced();
  }

  /** All rollbacks, the open one too. */
  public RollbackTimes rollbacks() {
    return log.rollbacks(RollbackTimes.NOT_ENDED);
  }

  /** Whether these are all nodes of the cluster. */
  boolean isAll(Set<Integer> some) {
    return IntStream.range(0, nodes()).allMatch(some::contains);
  }

  ControlState with(Plan next) {
    return new ControlState(self, log.with(next), run);
  }

  ControlState withSafePoint(long hlc) {
    return new ControlState(self, log.withSafePoint(hlc), run);
  }

  ControlState withRejected(long request) {
    return new ControlState(self, log.withRejected(request), run);
  }

  ControlState resumed(ControlRecord record) {
    return new ControlState(self, log.resumed(record), run);
  }

  ControlState acting(Set<Duty> nowBegun) {
    return new ControlState(self, log, new Run(true, run.joined(), nowBegun));
  }

  ControlState withJoined() {
    return new ControlState(self, log, new Run(run.acting(), true, run.begun()));
  }
}
