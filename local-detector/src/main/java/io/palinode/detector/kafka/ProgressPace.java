package io.palinode.detector.kafka;

import java.time.Duration;

/**
 * How often a node writes progress: often for a while after a candidate, since a pair of candidates
 * is judged only when progress has passed them; less often while there are writes, for the safe
 * point follows it; and rarely when nothing has happened for a while and nothing holds, so that an
 * idle cluster costs little.
 *
 * @param busyFor after the last candidate
 * @param idleFor after the last sign of activity
 * @param company what follows a record within so long waits that long: a request for each record
 *     would cost more than all the rest. A record after a pause goes out at once
 * @param companyWhenBusy the most that it waits for enough company on a machine whose processors
 *     are busy: requests would take them from the store
 */
public record ProgressPace(
    Duration quiet,
    Duration idle,
    Duration busy,
    Duration busyFor,
    Duration idleFor,
    Duration company,
    Duration companyWhenBusy) {
  public static final ProgressPace DEFAULT =
      new ProgressPace(
          Duration.ofMillis(250),
          Duration.ofMillis(50),
          Duration.ofMillis(5),
          Duration.ofMillis(200),
          Duration.ofSeconds(1),
          Duration.ofMillis(2),
          Duration.ofMillis(30));

  public ProgressPace {
    if (busy.isZero()
        || busy.isNegative()
        || idle.compareTo(busy) < 0
        || quiet.compareTo(idle) < 0
        || busyFor.isNegative()
        || idleFor.compareTo(busyFor) < 0
        || company.isNegative()
        || busy.compareTo(company) < 0
        || companyWhenBusy.compareTo(company) < 0) {
      throw new IllegalArgumentException(
          "a pace must be 0 < busy <= idle <= quiet, 0 <= busyFor <= idleFor, 0 <= company <= busy, company <= companyWhenBusy: quiet="
              + quiet
              + " idle="
              + idle
              + " busy="
              + busy
              + " busyFor="
              + busyFor
              + " idleFor="
              + idleFor
              + " company="
              + company
              + " companyWhenBusy="
              + companyWhenBusy);
    }
  }

  /**
   * The default, except that progress and candidates go out together once per {@code busy} after a
   * candidate. Judgement is later by at most {@code busy}.
   */
  public static ProgressPace sparing(Duration busy) {
    return new ProgressPace(
        DEFAULT.quiet, DEFAULT.idle, busy, DEFAULT.busyFor, DEFAULT.idleFor, busy, busy);
  }

  /**
   * The time of the next progress, in nanoseconds of one clock. At low load all nodes publish at
   * the same times of the wall clock, so the monitor wakes once and not once per node.
   *
   * @param lastActivity no earlier than {@code lastCandidate}
   * @param toWall the difference of the wall clock to that clock, in nanoseconds
   */
  long nextAt(long lastProgress, long lastCandidate, long lastActivity, long toWall) {
    long busyAt = lastProgress + busy.toNanos();
    if (busyAt - lastCandidate <= busyFor.toNanos()) {
      return busyAt;
    }
    long idleAt = nextMoment(lastProgress, idle, toWall);
    return idleAt - lastActivity <= idleFor.toNanos()
        ? idleAt
        : nextMoment(lastProgress, quiet, toWall);
  }

  /**
   * Until when a record waits on a busy machine, at the latest. All nodes send at the same times of
   * the wall clock, so the broker and the job wake once and not once per node.
   */
  long nextWhenBusy(long lastSent, long toWall) {
    return companyWhenBusy.isZero() ? lastSent : nextMoment(lastSent, companyWhenBusy, toWall);
  }

  private static long nextMoment(long after, Duration period, long toWall) {
    return after + period.toNanos() - Math.floorMod(after + toWall, period.toNanos());
  }
}
