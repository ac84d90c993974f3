package io.palinode.detector.kafka;

import java.time.Duration;

/**
 * How often a node sends. All nodes send at the same moments of the wall clock, so the broker and
 * the job wake once and not once per node.
 *
 * <p>A node sends progress often for a while after a candidate, since a pair of candidates is
 * judged only when progress has passed them; less often while there are writes, for the safe point
 * follows it; and rarely when nothing has happened for a while and nothing holds, so that an idle
 * cluster costs little.
 *
 * @param busy the period of the moments at which candidates and progress go out together: a request
 *     for each record would cost more than all the rest. A candidate after a pause goes out at once
 * @param busyFor after the last candidate
 * @param idleFor after the last sign of activity
 * @param gathering the period on a machine whose processors are busy, if there are few records:
 *     requests would take them from the store
 */
public record ProgressPace(
    Duration quiet,
    Duration idle,
    Duration busy,
    Duration busyFor,
    Duration idleFor,
    Duration gathering) {
  public static final ProgressPace DEFAULT =
      new ProgressPace(
          Duration.ofMillis(250),
          Duration.ofMillis(50),
          Duration.ofMillis(5),
          Duration.ofMillis(200),
          Duration.ofSeconds(1),
          Duration.ofMillis(30));

  public ProgressPace {
    if (busy.isZero()
        || busy.isNegative()
        || idle.compareTo(busy) < 0
        || quiet.compareTo(idle) < 0
        || busyFor.isNegative()
        || idleFor.compareTo(busyFor) < 0
        || gathering.compareTo(busy) < 0) {
      throw new IllegalArgumentException(
          "a pace must be 0 < busy <= idle <= quiet, 0 <= busyFor <= idleFor, busy <= gathering: quiet="
              + quiet
              + " idle="
              + idle
              + " busy="
              + busy
              + " busyFor="
              + busyFor
              + " idleFor="
              + idleFor
              + " gathering="
              + gathering);
    }
  }

  /** The default, except for {@code busy}. Judgement is later by at most that. */
  public static ProgressPace sparing(Duration busy) {
    return new ProgressPace(
        DEFAULT.quiet, DEFAULT.idle, busy, DEFAULT.busyFor, DEFAULT.idleFor, busy);
  }

  /**
   * The time of the next progress, in nanoseconds of one clock.
   *
   * @param lastActivity no earlier than {@code lastCandidate}
   * @param toWall the difference of the wall clock to that clock, in nanoseconds
   */
  long nextAt(long lastProgress, long lastCandidate, long lastActivity, long toWall) {
    long busyAt = nextMoment(lastProgress, busy, toWall);
    if (busyAt - lastCandidate <= busyFor.toNanos()) {
      return busyAt;
    }
    long idleAt = nextMoment(lastProgress, idle, toWall);
    return idleAt - lastActivity <= idleFor.toNanos()
        ? idleAt
        : nextMoment(lastProgress, quiet, toWall);
  }

  /** From when on a record may go out; in the past after a pause. */
  long nextSend(long lastSent, long toWall) {
    return nextMoment(lastSent, busy, toWall);
  }

  /** Until when a record waits on a busy machine, at the latest. */
  long nextWhenBusy(long lastSent, long toWall) {
    return nextMoment(lastSent, gathering, toWall);
  }

  private static long nextMoment(long after, Duration period, long toWall) {
    return after + period.toNanos() - Math.floorMod(after + toWall, period.toNanos());
  }
}
