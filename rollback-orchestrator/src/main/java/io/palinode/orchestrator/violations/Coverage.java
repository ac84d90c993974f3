package io.palinode.orchestrator.violations;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.CoverageLost;
import io.palinode.wire.v1.CoverageStep;
import io.palinode.wire.v1.GapsAcknowledged;
import io.palinode.wire.v1.GapsFound;
import java.util.ArrayList;
import java.util.List;

/**
 * The coverage gaps that the control log holds, numbered from 1 in its order. Immutable.
 *
 * @param found the number of the latest gap
 * @param acknowledged gaps up to this number are acknowledged
 * @param acknowledgedEpoch abandoned plans up to this epoch are acknowledged
 * @param reportedEpoch abandoned plans up to this epoch were alerted
 * @param unacknowledged the span of all gaps that are not acknowledged
 * @param hold what these gaps hold, and until when
 * @param latest the latest gaps, acknowledged or not, oldest first
 */
public record Coverage(
    long found,
    long acknowledged,
    long acknowledgedEpoch,
    long reportedEpoch,
    Span unacknowledged,
    Hold hold,
    List<Gap> latest) {
  /** After this many newer gaps, a gap that recurs counts as new. */
  public static final int LATEST_MAX = 1_000;

  static final int CAUSE_CHARS_MAX = 1_000;
  public static final Coverage NONE = new Coverage(0, 0, 0, 0, Span.NONE, Hold.NONE, List.of());

  public Coverage {
    latest = List.copyOf(latest);
  }

  /** One coverage gap of the violations log. */
  public record Gap(long number, CoverageLost loss, long foundMicros, long passedHlc) {
    /** Whether the gap can hold the safe point: it ends after the safe point of its record. */
    boolean canHold() {
      return end(loss) > passedHlc;
    }
  }

  /**
   * HLC times.
   *
   * @param from 0: unknown
   * @param to {@link Long#MAX_VALUE}: unknown
   */
  public record Span(long from, long to) {
    public static final Span NONE = new Span(Long.MAX_VALUE, 0);

    static Span of(CoverageLost loss) {
      return new Span(loss.getFromHlc(), end(loss));
    }

    Span and(Span other) {
      return new Span(Math.min(from, other.from), Math.max(to, other.to));
    }
  }

  /** The safe point stays at or before {@code at} until {@code untilMicros}, wall clock. */
  public record Hold(long at, long untilMicros) {
    public static final Hold NONE = new Hold(FoundViolations.NOT_HELD, 0);

    Hold and(CoverageLost loss, long until) {
      return new Hold(
          Math.min(at, Math.max(0, loss.getFromHlc() - 1)), Math.max(untilMicros, until));
    }
  }

  /** How many gaps are not acknowledged. */
  public long unacknowledgedCount() {
    return found - acknowledged;
  }

  /** The latest of the gaps that are not acknowledged, oldest first. */
  public List<Gap> latestUnacknowledged() {
    return latest.stream().filter(gap -> gap.number() > acknowledged).toList();
  }

  /** The HLC that the safe point may not pass now; {@link FoundViolations#NOT_HELD}: no limit. */
  public long heldAt(long nowMicros) {
    return nowMicros < hold.untilMicros() ? hold.at() : FoundViolations.NOT_HELD;
  }

  /** Whether all gaps up to this number, and abandoned plans up to this epoch, are acknowledged. */
  public boolean isAcknowledged(long toNumber, long toEpoch) {
    return acknowledged >= Math.min(toNumber, found) && acknowledgedEpoch >= toEpoch;
  }

  /** Whether one of the latest gaps is this one. O({@link #LATEST_MAX}). */
  public boolean holds(CoverageLost loss) {
    CoverageLost bounded = bounded(loss);
    return latest.stream().anyMatch(gap -> gap.loss().equals(bounded));
  }

  /** The gap as the control log holds it: with a bounded cause. */
  static CoverageLost bounded(CoverageLost loss) {
    String cause = loss.getCause();
    return cause.length() <= CAUSE_CHARS_MAX
        ? loss
        : loss.toBuilder().setCause(cause.substring(0, CAUSE_CHARS_MAX) + "…").build();
  }

  /** The end of the gap; {@link Long#MAX_VALUE}: open. */
  public static long end(CoverageLost loss) {
    return loss.getToHlc() == 0 ? Long.MAX_VALUE : loss.getToHlc();
  }

  public Coverage read(ControlRecord record, long safePoint) {
    CoverageStep step = record.getCoverage();
    return switch (step.getStepCase()) {
      case FOUND -> found(step.getFound(), record.getAtMicros(), safePoint);
      case ACKNOWLEDGED -> acknowledged(step.getAcknowledged());
      case ABANDON_REPORTED -> reported(step.getAbandonReported().getEpoch());
      case STEP_NOT_SET -> this;
    };
  }

  private Coverage found(GapsFound more, long atMicros, long safePoint) {
    Coverage all = this;
    for (CoverageLost loss : more.getGapsList()) {
      if (!all.holds(loss)) {
        Gap gap = new Gap(all.found + 1, bounded(loss), atMicros, safePoint);
        all = all.with(gap, more.getHeldUntilMicros());
      }
    }
    return all;
  }

  private Coverage with(Gap gap, long untilMicros) {
    // A hold that is over does not return with the next gap.
    Hold before = gap.foundMicros() < hold.untilMicros() ? hold : Hold.NONE;
    List<Gap> longer = new ArrayList<>(latest);
    longer.add(gap);
    return new Coverage(
        gap.number(),
        acknowledged,
        acknowledgedEpoch,
        reportedEpoch,
        unacknowledged.and(Span.of(gap.loss())),
        gap.canHold() ? before.and(gap.loss(), untilMicros) : before,
        longer.subList(Math.max(0, longer.size() - LATEST_MAX), longer.size()));
  }

  private Coverage acknowledged(GapsAcknowledged answer) {
    long to = Math.max(acknowledged, Math.min(answer.getToNumber(), found));
    List<Gap> left = latest.stream().filter(gap -> gap.number() > to).toList();
    boolean areAllLeftKnown = left.size() == found - to;
    Span span = Span.NONE;
    Hold holding = Hold.NONE;
    for (Gap gap : left) {
      span = span.and(Span.of(gap.loss()));
      holding = gap.canHold() ? holding.and(gap.loss(), hold.untilMicros()) : holding;
    }
    return new Coverage(
        found,
        to,
        Math.max(acknowledgedEpoch, answer.getToEpoch()),
        reportedEpoch,
        areAllLeftKnown ? span : unacknowledged,
        areAllLeftKnown && to > acknowledged ? holding : hold,
        latest);
  }

  private Coverage reported(long epoch) {
    return epoch <= reportedEpoch
        ? this
        : new Coverage(found, acknowledged, acknowledgedEpoch, epoch, unacknowledged, hold, latest);
  }
}
